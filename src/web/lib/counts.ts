/** Numbers of open items beside links. They come with the page, or are requested at most once a minute. */

import { showOpenTabs } from './tabs.ts'

interface Known {
  at: number
  counts: Record<string, number>
}

const prefix = 'counts '
const lifetime_ms = 60_000

/** Shows known numbers, and requests outdated ones. `isChanged` after a form was sent, which may have changed any of them. */
export function showCounts(isChanged = false): void {
  const places = document.querySelectorAll<HTMLElement>('[data-counts]')
  // After signing out or changing the account, the old numbers are removed.
  if (isChanged || !document.querySelector('.menu.user')) forget()
  for (const place of places) void fill(place, isChanged)
}

async function fill(place: HTMLElement, isChanged: boolean): Promise<void> {
  const address = place.dataset.counts ?? ''
  const known = recall(address)
  const isFresh = known !== null && Date.now() - known.at < lifetime_ms
  const sent = isChanged || isFresh ? null : sentWith(place)
  const shown = sent ?? known?.counts
  if (shown) write(place, shown)
  if (isFresh || sent) return
  const counts = await ask(address)
  if (counts === null || place.dataset.counts !== address) return
  keep(address, { at: Date.now(), counts })
  write(place, counts)
}

const underWay = new Map<string, Promise<Known['counts'] | null>>()

/** One request for all places with the same URL. */
function ask(address: string): Promise<Known['counts'] | null> {
  const known = underWay.get(address)
  if (known) return known
  const asked = fetch(address, { headers: { accept: 'application/json' } })
    .then((answer) => (answer.ok && !answer.redirected ? (answer.json() as Promise<Known['counts']>) : null))
    .catch(() => null)
    .finally(() => underWay.delete(address))
  underWay.set(address, asked)
  return asked
}

/** The numbers that the page brought. Requested numbers are newer: another process may have rendered the page. */
function sentWith({ dataset }: HTMLElement): Known['counts'] | null {
  return dataset.known ? (JSON.parse(dataset.known) as Known['counts']) : null
}

function write(place: HTMLElement, counts: Known['counts']): void {
  for (const link of place.querySelectorAll<HTMLElement>('[data-count]')) {
    for (const old of link.querySelectorAll('.count')) old.remove()
    const count = counts[link.dataset.count ?? ''] ?? 0
    if (count === 0) continue
    const number = document.createElement('span')
    number.className = 'count'
    number.dataset.own = ''
    number.textContent = count > 999 ? '999+' : String(count)
    link.append(' ', number)
  }
  // The row is wider now.
  if (place.matches('.tabs')) showOpenTabs()
}

// The browser may deny storage: then each page requests them.
function recall(address: string): Known | null {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + address) ?? 'null') as Known | null
  } catch {
    return null
  }
}

function keep(address: string, known: Known): void {
  try {
    sessionStorage.setItem(prefix + address, JSON.stringify(known))
  } catch {
    // Storage is full, or denied.
  }
}

function forget(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  } catch {
    // Denied.
  }
}
