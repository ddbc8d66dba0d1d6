/** Lists with selectable rows: the number of selected rows, and the key `x` for the focused row. */

import { announce } from './announce.ts'
import { t } from './words.ts'

const selecting = '.selectable > li > input[type="checkbox"]'
const boxes = (within: ParentNode) => [...within.querySelectorAll<HTMLInputElement>(selecting)]

export function keepSelection(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    for (const box of boxes(document)) delete box.dataset.key
    const own = target.closest('.selectable > li')?.querySelector<HTMLInputElement>(':scope > input[type="checkbox"]') ?? boxes(document)[0]
    if (own) own.dataset.key = 'x'
  })
  // After selecting by key, the row gets the focus back, as keys don't work in fields.
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
  const sentence = number === 0 ? t`None selected` : t`${number} selected`
  if (place) place.textContent = sentence
  const panel = form.querySelector<HTMLDetailsElement>('.edit-many')
  if (panel && number > 0) panel.open = true
  announce(sentence)
}
