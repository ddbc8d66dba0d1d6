/** On pages with a diff: loads collapsed files and further parts in place, links to lines, and shows forms for notes below them. */

import { openNoteForm, openPointForm } from './lib/line-note.ts'
import { loadInPlace } from './lib/load-in-place.ts'

class DiffView extends HTMLElement {
  #observer: IntersectionObserver | null = null

  connectedCallback(): void {
    this.addEventListener('click', this.#onClick)
    addEventListener('hashchange', showTarget)
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) void this.#load(target as HTMLAnchorElement)
      },
      { rootMargin: '1500px' },
    )
    this.#watch()
    showTarget()
  }

  disconnectedCallback(): void {
    removeEventListener('hashchange', showTarget)
    this.#observer?.disconnect()
  }

  /** The next part of the diff is loaded on scrolling; the rest of a long file on demand. */
  #watch(): void {
    for (const link of this.querySelectorAll('a.next[rel=next]')) this.#observer?.observe(link)
  }

  async #load(link: HTMLAnchorElement): Promise<void> {
    this.#observer?.unobserve(link)
    await loadInPlace(link)
    this.#watch()
  }

  #onClick = (event: MouseEvent): void => {
    const { target } = event
    if (!(target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
    const link = target.closest<HTMLAnchorElement>('a.load, a.next')
    if (link) {
      event.preventDefault()
      void this.#load(link)
      return
    }
    if (target.matches('img[data-points]')) {
      openPointForm(target as HTMLImageElement, event)
      return
    }
    const cell = target.closest<HTMLTableCellElement>('.diff td:not([colspan])')
    const line = cell && lineAt(cell)
    if (!cell || !line) return
    history.replaceState(null, '', `#${line.anchor}`)
    showTarget()
    openNoteForm(cell, line)
  }
}

interface Line {
  anchor: string
  side: 'old' | 'new'
  number: number
}

/** The line whose number was clicked; null for a click on text or signs. */
function lineAt(cell: HTMLTableCellElement): Line | null {
  const number = Number(cell.textContent)
  if (!cell.textContent || !Number.isInteger(number)) return null
  const isSplit = cell.closest('table')?.classList.contains('s') === true
  const at = [...(cell.parentElement?.children ?? [])].indexOf(cell)
  if (isSplit ? at % 3 !== 0 : at > 1) return null
  const file = cell.closest('.diff-file')?.id.slice(1)
  const isRemoved = isSplit ? cell.classList.contains('d') : cell.closest('tr')?.classList.contains('d') === true
  // An unchanged line is identified by its new number.
  const side = isRemoved ? 'old' : 'new'
  const row = cell.closest('tr')?.id.match(/R(\d+)$/)?.[1]
  const known = side === 'new' && row ? Number(row) : number
  return file === undefined ? null : { anchor: `${file}${side === 'old' ? 'L' : 'R'}${known}`, side, number: known }
}

/** The browser only sets `:target` on navigation. */
function showTarget(): void {
  for (const row of document.querySelectorAll('.diff .is-target')) row.classList.remove('is-target')
  const found = /^#\d+[LR]\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null
  found?.closest('tr')?.classList.add('is-target')
}

/** Lists that are expensive to compute are fetched on demand. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.here') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void loadInPlace(link)
})

customElements.define('diff-view', DiffView)
