/** The form for a note below a line or an image: the page's own form, with the position filled in. */

interface Line {
  side: 'old' | 'new'
  number: number
}

export function openNoteForm(cell: HTMLTableCellElement, { side, number }: Line): void {
  const row = cell.closest('tr')
  const file = cell.closest<HTMLElement>('.diff-file')
  if (!row || !file) return
  const form = toggledForm(row, { ...pathOf(file, side), line: String(number), line_type: side })
  if (!form) return
  const below = document.createElement('tr')
  below.className = 'b line-note'
  const content = below.insertCell()
  content.colSpan = cell.closest('table')?.classList.contains('s') ? 6 : 4
  content.append(form)
  row.after(below)
  const text = side === 'new' && 'suggests' in form.dataset ? textOf(row) : null
  if (text !== null) form.querySelector('.actions')?.append(button('Suggest a change', () => suggest(form, text)))
  form.querySelector('textarea')?.focus()
}

/** The line as the file has it; null for one that was cut. */
function textOf(row: HTMLTableRowElement): string | null {
  const cell = row.lastElementChild?.cloneNode(true) as Element | undefined
  if (!cell || cell.querySelector('i')) return null
  // The sign of a carriage return.
  for (const sign of cell.querySelectorAll('b')) sign.remove()
  return cell.textContent
}

/** Puts the line into the comment as a suggestion, to be changed there. */
function suggest(form: HTMLFormElement, line: string): void {
  const field = form.querySelector('textarea')
  if (!field) return
  const longest = Math.max(2, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const before = field.value === '' || field.value.endsWith('\n') ? '' : '\n'
  const start = field.value.length + before.length + fence.length + 'suggestion\n'.length
  field.setRangeText(`${before}${fence}suggestion\n${line}\n${fence}\n`, field.value.length, field.value.length, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.focus()
  field.setSelectionRange(start, start + line.length)
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
  form.querySelector('.actions')?.append(button('Cancel', () => form.closest('.line-note')?.remove()))
  form.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') form.closest('.line-note')?.remove()
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
