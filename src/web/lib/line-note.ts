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
  form.querySelector('textarea')?.focus()
}

/** A click on an image opens the form at that point. */
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
