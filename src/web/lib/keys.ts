/** Keyboard shortcuts: keys open a link or button of the page that declares them (`data-key`), or the list of all shortcuts. */

import { areKeysOff } from './key-choice.ts'

/** `palette.ts`, which is loaded on demand. */
interface Palette {
  openHelp: (globals: Record<string, string>) => void
  openPalette: () => void
}

const globals: Record<string, string> = {
  'g h': '/',
  'g p': '/dashboard/projects',
  'g g': '/dashboard/groups',
  'g a': '/dashboard/activity',
  'g s': '/profile',
}

let first: { key: string; at: number } | null = null

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.defaultPrevented || event.isComposing || !(target instanceof HTMLElement)) return
    if (event.ctrlKey || event.metaKey) return command(event, target)
    if (target.closest('input, textarea, select, [contenteditable], dialog[open], [role="textbox"]')) {
      if (key === 'Escape' && !target.closest('dialog')) target.blur()
    } else if (!event.altKey && !areKeysOff() && key.length === 1) single(event, key)
  })
}

/** Works in fields, too. */
function command(event: KeyboardEvent, target: Element): void {
  const form = target.closest('form')
  const isPalette = event.key.toLowerCase() === 'k' && !event.altKey && !event.shiftKey
  if (isPalette) void open('palette')
  else if (event.key === 'Enter' && form?.method === 'post') form.requestSubmit()
  else return
  event.preventDefault()
}

function single(event: KeyboardEvent, key: string): void {
  const sequence = first && Date.now() - first.at < 1_500 ? `${first.key} ${key}` : key
  first = sequence === 'g' ? { key, at: Date.now() } : null
  if (!first && press(sequence)) event.preventDefault()
}

/** Whether the key has a meaning on this page. */
function press(key: string): boolean {
  const own = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
  if (own) {
    const closed = own.localName === 'summary' ? null : own.closest('details')
    if (closed) closed.open = true
    own.focus()
    own.click()
    return true
  }
  if (key === '?') void open('help')
  else if (key === 's' || key === '/') search()
  else if (key === 'y') return showPermalink()
  else if (key === 'j' || key === 'k') return move(key === 'j' ? 1 : -1)
  else if (globals[key]) location.assign(globals[key])
  else return false
  return true
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>('.bar [type="search"]')
  if (field?.checkVisibility()) field.select()
  else document.querySelector<HTMLElement>('.bar a.find')?.click()
}

/** The permanent URL, which the page declares as canonical. */
function showPermalink(): boolean {
  const link = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
  if (link) history.replaceState(history.state, '', link.href + location.hash)
  return link !== null
}

/** To the next or previous entry of the lists on the page; Enter then follows its link. */
function move(by: 1 | -1): boolean {
  const entries = [...document.querySelectorAll('main :is(.rows > li, .files tr, [data-list] > *)')]
  const links = entries.flatMap((entry) => entry.querySelector<HTMLElement>('a[href]') ?? [])
  const current = entries.find((entry) => entry.contains(document.activeElement))?.querySelector<HTMLElement>('a[href]')
  const at = current ? links.indexOf(current) + by : by > 0 ? 0 : -1
  links[at]?.focus()
  return links.length > 0
}

/** Loaded on demand. */
async function open(what: 'palette' | 'help'): Promise<void> {
  const address = document.querySelector<HTMLScriptElement>('script[data-palette]')?.dataset.palette
  if (!address) return
  const { openHelp, openPalette } = (await import(address)) as Palette
  if (what === 'help') openHelp(globals)
  else openPalette()
}
