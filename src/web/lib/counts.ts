/** Numbers beside links: how much is open where they lead. They come after the page, and are asked for once a minute. */

import { showOpenTabs } from './tabs.ts'

interface Known {
  at: number
  counts: Record<string, number>
}

const prefix = 'counts '
const lifetime_ms = 60_000

/** Shows what is known, and asks for what is older. `isChanged` where a form was sent: then all of it may have changed. */
export function showCounts(isChanged = false): void {
  const places = document.querySelectorAll<HTMLElement>('[data-counts]')
  // Without an account, or with another one, nothing of the last one stays.
  if (isChanged || !document.querySelector('.menu.user')) forget()
  for (const place of places) void fill(place)
}

async function fill(place: HTMLElement): Promise<void> {
  const address = place.dataset.counts ?? ''
  const known = recall(address)
  if (known) write(place, known.counts)
  if (known && Date.now() - known.at < lifetime_ms) return
  const answer = await fetch(address, { headers: { accept: 'application/json' } }).catch(() => null)
  if (!answer?.ok || answer.redirected) return
  const counts = (await answer.json().catch(() => null)) as Known['counts'] | null
  if (counts === null || place.dataset.counts !== address) return
  keep(address, { at: Date.now(), counts })
  write(place, counts)
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

// A browser may keep nothing for us: then each page asks.
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
    // Full, or denied.
  }
}

function forget(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  } catch {
    // Denied.
  }
}
