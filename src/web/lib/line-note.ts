/** The form for a note below lines or an image: the page's own form, with the position filled in. */

import { codeOn, type LineRange, markRange, rangeFrom } from './diff-lines.ts'
import { t } from './words.ts'

/** Below the last of these lines. Where the form takes several, its first line can be changed there. */
export function openNoteForm(chosen: LineRange): void {
  const row = chosen.rows.at(-1)
  const file = row?.closest<HTMLElement>('.diff-file')
  if (!row || !file) return
  const { side, to } = chosen
  // Another first line of the same comment keeps what is typed.
  const open = chosen.from < to && row.nextElementSibling?.matches('.line-note') ? row.nextElementSibling : null
  const typed = open?.querySelector('textarea')?.value ?? ''
  open?.remove()
  const form = toggledForm(row, { ...pathOf(file, side), line: String(to), line_type: side })
  markRange(form && chosen.from < to ? chosen : null)
  if (!form) return
  const below = document.createElement('tr')
  below.className = 'b line-note'
  const content = below.insertCell()
  content.colSpan = row.closest('table')?.classList.contains('s') ? 6 : 4
  content.append(form)
  row.after(below)
  const range = 'ranges' in form.dataset ? rangeField(form, chosen) : () => chosen
  if (side === 'new' && 'suggests' in form.dataset && textOf(chosen) !== null)
    form.querySelector('.actions')?.append(button(t`Suggest a change`, () => suggest(form, range())))
  const text = form.querySelector('textarea')
  if (text && typed !== '') text.value = typed
  text?.focus()
}

/** The number of the first line, by which the keyboard chooses several. */
function rangeField(form: HTMLFormElement, chosen: LineRange): () => LineRange {
  let range = chosen
  const number = Object.assign(document.createElement('input'), { type: 'number', name: 'from_line', min: '1', max: String(chosen.to) })
  number.value = String(chosen.from)
  number.addEventListener('input', () => {
    range = rangeFrom(chosen, Number(number.value)) ?? chosen
    markRange(range.from < range.to ? range : null)
  })
  const label = document.createElement('label')
  label.append(t`From line `, number)
  const line = document.createElement('p')
  line.className = 'hint from-line'
  line.append(label, t` to line ${chosen.to}`)
  form.prepend(line)
  return () => range
}

/** The lines as the file has them; null where one was cut. */
function textOf({ rows, side }: LineRange): string | null {
  const lines = rows.map((row) => {
    const cell = codeOn(row, side)?.cloneNode(true) as Element | undefined
    if (!cell || cell.querySelector('i')) return null
    // The sign of a carriage return.
    for (const sign of cell.querySelectorAll('b')) sign.remove()
    return cell.textContent
  })
  return lines.includes(null) ? null : lines.join('\n')
}

/** Puts the lines into the comment as a suggestion, to be changed there. */
function suggest(form: HTMLFormElement, range: LineRange): void {
  const field = form.querySelector('textarea')
  const lines = textOf(range)
  if (!field || lines === null) return
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const above = range.to - range.from
  const head = `${fence}suggestion${above === 0 ? '' : `:-${above}+0`}\n`
  const before = field.value === '' || field.value.endsWith('\n') ? '' : '\n'
  const start = field.value.length + before.length + head.length
  field.setRangeText(`${before}${head}${lines}\n${fence}\n`, field.value.length, field.value.length, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.focus()
  field.setSelectionRange(start, start + lines.length)
}

/** A click on a picture that takes notes at its points. */
export function openPointForm(picture: HTMLImageElement, { offsetX, offsetY }: MouseEvent): void {
  const file = picture.closest<HTMLElement>('.diff-file')
  const pictures = picture.closest('.pictures')
  const { naturalWidth: width, naturalHeight: height } = picture
  if (!file || !pictures || width === 0 || height === 0) return
  const share = (at: number, shown: number, size: number) => Math.min(size, Math.max(0, Math.round((at / shown) * size)))
  const point = { x: share(offsetX, picture.clientWidth, width), y: share(offsetY, picture.clientHeight, height), width, height }
  document.querySelector('.line-note')?.remove()
  const form = toggledForm(pictures, {
    ...pathOf(file, 'new'),
    ...Object.fromEntries(Object.entries(point).map(([name, value]) => [name, String(value)])),
  })
  if (!form) return
  const below = document.createElement('div')
  below.className = 'file-talk line-note'
  below.append(form)
  pictures.after(below)
  form.querySelector('textarea')?.focus()
}

function pathOf({ dataset }: HTMLElement, side: 'old' | 'new'): { path: string } {
  return { path: (side === 'old' && dataset.old) || dataset.path || '' }
}

/** The form to insert after this element; null if the page has none, or if it was open there and is closed now. */
function toggledForm(above: Element, place: Record<string, string>): HTMLFormElement | null {
  const original = document.querySelector<HTMLFormElement>('#note form')
  if (!original) return null
  const open = document.querySelector('.line-note')
  const isHere = open?.previousElementSibling === above
  open?.remove()
  if (isHere) return null
  const form = original.cloneNode(true) as HTMLFormElement
  // Elements added by scripts are created again in the copy.
  for (const added of form.querySelectorAll('[data-own]')) added.remove()
  for (const text of form.querySelectorAll('textarea')) text.hidden = false
  // Ids must not be duplicated.
  for (const field of form.querySelectorAll('[id]')) field.id = `line-${field.id}`
  for (const label of form.querySelectorAll('label')) label.htmlFor = `line-${label.htmlFor}`
  for (const field of form.querySelectorAll('[aria-describedby]')) field.removeAttribute('aria-describedby')
  for (const field of form.querySelectorAll('.filters, [name=path]')) field.remove()
  for (const [name, value] of Object.entries(place)) form.append(hidden(name, value))
  const close = () => {
    form.closest('.line-note')?.remove()
    markRange(null)
  }
  form.querySelector('.actions')?.append(button(t`Cancel`, close))
  form.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close()
  })
  return form
}

function hidden(name: string, value: string): HTMLInputElement {
  const input = document.createElement('input')
  input.type = 'hidden'
  input.name = name
  input.value = value
  return input
}

function button(words: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = words
  made.addEventListener('click', act)
  return made
}
