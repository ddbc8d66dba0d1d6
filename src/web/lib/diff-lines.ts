/** Lines of a diff in the page: which one a cell numbers, and those from one to another on one side. */

export interface Line {
  anchor: string
  side: 'old' | 'new'
  number: number
}

/** Lines of one side, which a comment is about. */
export interface LineRange {
  side: 'old' | 'new'
  from: number
  to: number
  /** In the order of the page; the last one is that of `to`. */
  rows: HTMLTableRowElement[]
}

function isSplit(cell: Element): boolean {
  return cell.closest('table')?.classList.contains('s') === true
}

/** The line whose number this cell is; null for text, signs and hunks. */
export function lineAt(cell: HTMLTableCellElement): Line | null {
  const number = Number(cell.textContent)
  if (!cell.textContent || !Number.isInteger(number)) return null
  const at = [...(cell.parentElement?.children ?? [])].indexOf(cell)
  if (isSplit(cell) ? at % 3 !== 0 : at > 1) return null
  const file = cell.closest('.diff-file')?.id.slice(1)
  const isRemoved = isSplit(cell) ? cell.classList.contains('d') : cell.closest('tr')?.classList.contains('d') === true
  // An unchanged line is identified by its new number.
  const side = isRemoved ? 'old' : 'new'
  const row = cell.closest('tr')?.id.match(/R(\d+)$/)?.[1]
  const known = side === 'new' && row ? Number(row) : number
  return file === undefined ? null : { anchor: `${file}${side === 'old' ? 'L' : 'R'}${known}`, side, number: known }
}

/** The number of a row on a side; null where it has no line there. */
function numberOn(row: HTMLTableRowElement, side: 'old' | 'new'): number | null {
  if (row.matches('.h, .b')) return null
  const text = row.cells[side === 'old' ? 0 : isSplit(row) ? 3 : 1]?.textContent
  return text ? Number(text) : null
}

/** The cell with the code of a row on a side. */
export function codeOn(row: HTMLTableRowElement, side: 'old' | 'new'): HTMLTableCellElement | undefined {
  return row.cells[isSplit(row) ? (side === 'old' ? 2 : 5) : 3]
}

/** From one row to another of the same table, in either order; those without a line on this side are left out. */
export function rangeBetween(one: HTMLTableRowElement, other: HTMLTableRowElement, side: 'old' | 'new'): LineRange | null {
  if (one.parentElement !== other.parentElement) return null
  const [first, last] = one.rowIndex <= other.rowIndex ? [one, other] : [other, one]
  const rows = [...(one.closest('table')?.rows ?? [])]
    .slice(first.rowIndex, last.rowIndex + 1)
    .filter((row) => numberOn(row, side) !== null)
  const [start, end] = [rows[0], rows.at(-1)]
  if (!start || !end) return null
  return { side, from: numberOn(start, side) ?? 0, to: numberOn(end, side) ?? 0, rows }
}

/** Moves the start of a range to another line, or to the nearest one that the page shows. */
export function rangeFrom({ side, to, rows }: LineRange, first: number): LineRange | null {
  const end = rows.at(-1)
  const start = [...(end?.closest('table')?.rows ?? [])].find((row) => (numberOn(row, side) ?? 0) >= first)
  return end && start && first <= to ? rangeBetween(start, end, side) : null
}

/** Shows which lines are chosen; null for none. */
export function markRange(range: LineRange | null): void {
  for (const row of document.querySelectorAll('.diff .is-chosen')) row.classList.remove('is-chosen')
  for (const row of range?.rows ?? []) row.classList.add('is-chosen')
}
