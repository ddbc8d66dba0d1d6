/** The form for a note beneath a line: the page's own form, with the place filled in. */

interface Line {
  side: 'old' | 'new'
  number: number
}

export function openNoteForm(cell: HTMLTableCellElement, { side, number }: Line): void {
  const original = document.querySelector<HTMLFormElement>('#note form')
  const row = cell.closest('tr')
  const file = cell.closest<HTMLElement>('.diff-file')
  if (!original || !row || !file) return
  const open = document.querySelector('tr.line-note')
  const isHere = open?.previousElementSibling === row
  open?.remove()
  if (isHere) return
  const form = original.cloneNode(true) as HTMLFormElement
  // Ids of the form that stays must not stand twice.
  for (const field of form.querySelectorAll('[id]')) field.id = `line-${field.id}`
  for (const label of form.querySelectorAll('label')) label.htmlFor = `line-${label.htmlFor}`
  for (const field of form.querySelectorAll('[aria-describedby]')) field.removeAttribute('aria-describedby')
  for (const field of form.querySelectorAll('.filters, [name=path]')) field.remove()
  const place = { path: (side === 'old' && file.dataset.old) || file.dataset.path || '', line: String(number), line_type: side }
  for (const [name, value] of Object.entries(place)) form.append(hidden(name, value))
  const below = document.createElement('tr')
  below.className = 'b line-note'
  const content = below.insertCell()
  content.colSpan = cell.closest('table')?.classList.contains('s') ? 6 : 4
  content.append(form)
  row.after(below)
  form.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') below.remove()
  })
  form.querySelector('textarea')?.focus()
}

function hidden(name: string, value: string): HTMLInputElement {
  const input = document.createElement('input')
  input.type = 'hidden'
  input.name = name
  input.value = value
  return input
}
