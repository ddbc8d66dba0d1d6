/** On pages with a diff: loads collapsed files and further parts in place, links to lines, and shows forms for notes below them. */

import { type LineRange, lineAt, markRange, rangeBetween } from './lib/diff-lines.ts'
import { openNoteForm, openPointForm } from './lib/line-note.ts'
import { loadInPlace } from './lib/load-in-place.ts'

class DiffView extends HTMLElement {
  #observer: IntersectionObserver | null = null

  connectedCallback(): void {
    this.#foldTree()
    this.addEventListener('click', this.#onClick)
    this.addEventListener('pointerdown', this.#onPointerDown)
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

  /** On a phone, where the tree of files would stand above the code. */
  #foldTree(): void {
    const tree = this.querySelector<HTMLDetailsElement>('.diff-files-menu')
    if (!tree || tree.dataset.folded !== undefined) return
    tree.dataset.folded = ''
    if (matchMedia('(max-width: 48rem)').matches) tree.open = false
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
    if (!(target instanceof Element) || event.ctrlKey || event.metaKey) return
    const cell = target.closest<HTMLTableCellElement>('.diff td:not([colspan])')
    const line = cell && lineAt(cell)
    const row = cell?.closest('tr')
    if (event.shiftKey && !line) return
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
    if (!line || !row) return
    const before = event.shiftKey ? targetRow() : null
    const several = before && rangeBetween(before, row, line.side)
    const one = rangeBetween(row, row, line.side)
    if (several) choose(several, location.hash.slice(1))
    else if (one) choose(one, line.anchor)
  }

  /** Dragging over numbers chooses all their lines. By touch it scrolls. */
  #onPointerDown = (down: PointerEvent): void => {
    const cell = down.target instanceof Element ? down.target.closest<HTMLTableCellElement>('.diff td:not([colspan])') : null
    const line = cell && lineAt(cell)
    const start = cell?.closest('tr')
    if (!line || !start || down.button !== 0 || down.pointerType === 'touch' || !takesRanges()) return
    let chosen: LineRange | null = null
    const follow = ({ target }: PointerEvent) => {
      const row = target instanceof Element ? target.closest<HTMLTableRowElement>('.diff tr') : null
      if (!row || (row === start && !chosen)) return
      getSelection()?.removeAllRanges()
      chosen = rangeBetween(start, row, line.side) ?? chosen
      markRange(chosen)
    }
    const stop = ({ type }: PointerEvent) => {
      removeEventListener('pointermove', follow)
      removeEventListener('pointerup', stop)
      removeEventListener('pointercancel', stop)
      // A click follows where the pointer was released on the number itself.
      if (chosen && type === 'pointerup' && chosen.from < chosen.to) choose(chosen, line.anchor)
      else if (chosen) markRange(null)
    }
    addEventListener('pointermove', follow)
    addEventListener('pointerup', stop)
    addEventListener('pointercancel', stop)
  }
}

/** Opens the form below the lines. The anchor is that of the line with which the choice began, from which Shift extends it. */
function choose(chosen: LineRange, anchor: string): void {
  history.replaceState(null, '', `#${anchor}`)
  showTarget()
  openNoteForm(takesRanges() ? chosen : { ...chosen, from: chosen.to, rows: chosen.rows.slice(-1) })
}

function takesRanges(): boolean {
  return document.querySelector('#note form[data-ranges]') !== null
}

function targetRow(): HTMLTableRowElement | null {
  const found = /^#\d+[LR]\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null
  return found?.closest('tr') ?? null
}

/** The browser only sets `:target` on navigation. */
function showTarget(): void {
  for (const row of document.querySelectorAll('.diff .is-target')) row.classList.remove('is-target')
  targetRow()?.classList.add('is-target')
}

/** Lists that are expensive to compute are fetched on demand. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.here') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void loadInPlace(link)
})

customElements.define('diff-view', DiffView)
