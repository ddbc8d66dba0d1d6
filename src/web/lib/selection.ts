/** Lists whose rows can be selected: how many are, and the key `x` for the row that has the focus. */
import { announce } from './announce.ts'

const selecting = '.selectable > li > input[type="checkbox"]'
const boxes = (within: ParentNode) => [...within.querySelectorAll<HTMLInputElement>(selecting)]

export function keepSelection(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    for (const box of boxes(document)) delete box.dataset.key
    const own = target.closest('.selectable > li')?.querySelector<HTMLInputElement>(':scope > input[type="checkbox"]') ?? boxes(document)[0]
    if (own) own.dataset.key = 'x'
  })
  // Pressed by its key: fields take no keys, so the row has the focus again.
  document.addEventListener('click', ({ target, isTrusted }) => {
    if (isTrusted || !(target instanceof HTMLInputElement) || !target.matches(selecting)) return
    target.closest('li')?.querySelector<HTMLElement>('a[href]')?.focus()
  })
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return
    const form = target.closest<HTMLFormElement>('form:has(.selectable)')
    if (!form) return
    if (target.matches('[data-all]')) for (const box of boxes(form)) box.checked = target.checked
    if (target.matches(`[data-all], ${selecting}`)) count(form)
  })
}

function count(form: HTMLFormElement): void {
  const number = boxes(form).filter(({ checked }) => checked).length
  const place = form.querySelector('.selected-count')
  const sentence = number === 0 ? 'None selected' : `${number} selected`
  if (place) place.textContent = sentence
  const panel = form.querySelector<HTMLDetailsElement>('.edit-many')
  if (panel && number > 0) panel.open = true
  announce(sentence)
}
