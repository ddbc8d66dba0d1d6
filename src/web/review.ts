/** On the changes of a merge request: goes from one open discussion to the next, and marks files as viewed in place. */

import { announce } from './lib/announce.ts'
import { t } from './lib/words.ts'

class OpenTalks extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener('click', this.#onClick)
  }

  #onClick = (event: MouseEvent): void => {
    const step = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-step]') : null
    if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return
    const links = [...this.querySelectorAll<HTMLAnchorElement>('li a')]
    const at = links.findIndex(({ hash }) => hash !== '' && hash === location.hash)
    const by = Number(step.dataset.step)
    const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : (at + by + links.length) % links.length
    const link = links[next]
    if (!link) return
    event.preventDefault()
    // It may be on this page, or in another part of the diff.
    if (link.hash !== '' && document.getElementById(link.hash.slice(1))) location.hash = link.hash
    else location.assign(link.href)
  }
}

customElements.define('open-talks', OpenTalks)

/** Nothing on the page moves: the file is folded when it is opened next. */
document.addEventListener('change', async ({ target: box }) => {
  if (!(box instanceof HTMLInputElement) || !box.matches('[data-viewed]') || !box.form) return
  const { form, checked } = box
  const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>)
  body.set('viewed', String(checked))
  body.set('quiet', 'true')
  // The page that it leads to isn't wanted.
  const answer = await fetch(form.getAttribute('action') ?? '', { method: 'POST', body, redirect: 'manual' }).catch(() => null)
  if (answer?.type !== 'opaqueredirect') {
    box.checked = !checked
    announce(t`It was not saved.`)
    return
  }
  box.defaultChecked = checked
  const file = form.closest('.diff-file')?.id ?? ''
  const mark = document.querySelector(`.diff-tree a[href$="#${file}"]`)?.parentElement?.querySelector<HTMLElement>('.approved')
  if (mark) mark.hidden = !checked
  const count = document.querySelector<HTMLElement>('.viewed-count')
  const known = Number.parseInt(count?.textContent ?? '', 10)
  if (count) count.textContent = t`${known + (checked ? 1 : -1)} of ${count.dataset.total ?? ''} viewed`
})
