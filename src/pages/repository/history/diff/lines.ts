/**
 * The lines of a patch as rows of a table. This is the only place that joins HTML by hand: every text is written by `plainLine`, or comes
 * highlighted. Characters beyond Latin-1 are written as entities: a single one would make V8 keep the whole page at two bytes per
 * character.
 */
import { plainLine } from '../../../../features/repository/highlighting/highlighting.ts'
import type { DiffRow } from '../../../../git/diff/hunks.ts'
import { Html } from '../../../../html/html.ts'
import { type Range, wordChanges } from './words.ts'

export interface LineOptions {
  /** The place of the file in the diff, from 1: `3R12` is line 12 of the new version of the third file. */
  file: number
  /** Rows below lines, by side and number: `R12` for a line of the new file, `L5` of the old. */
  below?: ReadonlyMap<string, Html> | undefined
  /** The highlighted lines of both files, as HTML; null if they are plain. */
  colours?: Colours | undefined
  /** Content beside the header of a hunk. */
  hunk?: Html | undefined
}

export interface Colours {
  old: readonly string[] | null
  new: readonly string[] | null
}

/** Longer lines are cut. */
export const maxLine_chars = 5_000

/** Unified view: old number, new number, sign, text. */
export function unifiedRows(rows: readonly DiffRow[], options: LineOptions): Html {
  const marks = marksOf(rows)
  const out: string[] = []
  for (const [index, row] of rows.entries()) {
    const { kind, old_line, new_line } = row
    if (kind === 'hunk' || kind === 'end') out.push(headRow(row, 4, options))
    else {
      const id = kind === 'removed' ? `L${old_line}` : `R${new_line}`
      const name = kind === 'added' ? ' class="a"' : kind === 'removed' ? ' class="d"' : ''
      const cells = `<td>${old_line ?? ''}</td><td>${new_line ?? ''}</td><td>${signOf(kind)}</td>`
      out.push(`<tr${name} id="${options.file}${id}">${cells}<td>${textOf(row, marks[index], options)}</td></tr>${belowOf(id, 4, options)}`)
    }
  }
  return new Html(out.join(''))
}

/** Side-by-side view: number, sign and text of each. */
export function splitRows(rows: readonly DiffRow[], options: LineOptions): Html {
  const marks = marksOf(rows)
  const out: string[] = []
  for (let at = 0; at < rows.length; ) {
    const row = rows[at] as DiffRow
    if (row.kind === 'hunk' || row.kind === 'end') {
      out.push(headRow(row, 6, options))
      at += 1
    } else if (row.kind === 'same') {
      const text = textOf(row, undefined, options)
      const id = `R${row.new_line}`
      const sides = `<td>${row.old_line}</td><td></td><td>${text}</td><td>${row.new_line}</td><td></td><td>${text}</td>`
      out.push(`<tr id="${options.file}${id}">${sides}</tr>${belowOf(id, 6, options)}`)
      at += 1
    } else {
      const [removed, added, next] = runAt(rows, at)
      for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
        out.push(changedRow(rows, marks, removed[index], added[index], options))
      }
      for (const end of rows.slice(at, next)) if (end.kind === 'end') out.push(headRow(end, 6, options))
      at = next
    }
  }
  return new Html(out.join(''))
}

/** Three cells, so that every row has the same columns. */
const emptySide = '<td class="n"></td>'.repeat(3)

function changedRow(
  rows: readonly DiffRow[],
  marks: Marks,
  removed: number | undefined,
  added: number | undefined,
  options: LineOptions,
): string {
  const old = removed === undefined ? undefined : rows[removed]
  const now = added === undefined ? undefined : rows[added]
  const id = old && now ? ` id="${options.file}L${old.old_line}"` : ''
  const [before, after] = [old && textOf(old, marks[removed as number], options), now && textOf(now, marks[added as number], options)]
  const left = old ? `<td class="d"${id}>${old.old_line}</td><td class="d">&minus;</td><td class="d">${before}</td>` : emptySide
  const right = now ? `<td class="a">${now.new_line}</td><td class="a">+</td><td class="a">${after}</td>` : emptySide
  const ids = [...(now ? [`R${now.new_line}`] : []), ...(old ? [`L${old.old_line}`] : [])]
  return `<tr id="${options.file}${ids[0]}">${left}${right}</tr>${ids.map((id) => belowOf(id, 6, options)).join('')}`
}

/** The removed and added rows of one change, by index, and the index after it. */
function runAt(rows: readonly DiffRow[], start: number): [removed: number[], added: number[], next: number] {
  const [removed, added]: [number[], number[]] = [[], []]
  let at = start
  for (; at < rows.length; at += 1) {
    const kind = rows[at]?.kind
    if (kind === 'removed' && added.length === 0) removed.push(at)
    else if (kind === 'added') added.push(at)
    else if (kind !== 'end') break
  }
  return [removed, added, at]
}

type Marks = Array<readonly Range[] | undefined>

/** Within a change, the first removed line is compared with the first added one, and so on. */
function marksOf(rows: readonly DiffRow[]): Marks {
  const marks: Marks = []
  for (let at = 0; at < rows.length; ) {
    if (rows[at]?.kind !== 'removed') {
      at += 1
      continue
    }
    const [removed, added, next] = runAt(rows, at)
    for (let index = 0; index < Math.min(removed.length, added.length); index += 1) {
      const [old, now] = [removed[index] as number, added[index] as number]
      const changes = wordChanges((rows[old] as DiffRow).text.slice(0, maxLine_chars), (rows[now] as DiffRow).text.slice(0, maxLine_chars))
      if (!changes) continue
      marks[old] = changes.old
      marks[now] = changes.new
    }
    at = next
  }
  return marks
}

function signOf(kind: DiffRow['kind']): string {
  return kind === 'added' ? '+' : kind === 'removed' ? '&minus;' : ''
}

function headRow({ kind, text }: DiffRow, columns: number, { hunk }: LineOptions): string {
  const more = kind === 'hunk' ? (hunk?.text ?? '') : ''
  return `<tr class="h"><td colspan="${columns}">${more}${plainLine(kind === 'end' ? `\\ ${text}` : cut(text))}</td></tr>`
}

function belowOf(id: string, columns: number, { below }: LineOptions): string {
  const html = below?.get(id)
  return html === undefined ? '' : `<tr class="b"><td colspan="${columns}">${html.text}</td></tr>`
}

function cut(text: string): string {
  return text.length > maxLine_chars ? text.slice(0, maxLine_chars) : text
}

/** A line, cut if it is too long, with marks around the words that changed. */
function textOf(row: DiffRow, marks: readonly Range[] | undefined, options: LineOptions): string {
  const rest = row.text.length - maxLine_chars
  const line = colouredLine(row, options.colours) ?? plainLine(cut(row.text))
  const text = marks && marks.length > 0 ? marked(line, marks) : line
  // A carriage return at the end of an unchanged line is hidden.
  const shown = text.includes('&#13;') ? text.replaceAll('&#13;', row.kind === 'same' ? '' : '<b>&#9229;</b>') : text
  return rest > 0 ? `${shown}<i>&hellip; ${rest} more characters</i>` : shown
}

function colouredLine({ kind, old_line, new_line }: DiffRow, colours: Colours | undefined): string | undefined {
  const [lines, number] = kind === 'removed' ? [colours?.old, old_line] : [colours?.new, new_line]
  return number === null ? undefined : lines?.[number - 1]
}

/** A tag, an entity, or text. */
const piece = /<[^>]*>|&[^;]+;|[^<&]+/g

/** Adds marks to HTML around these ranges of its text. A mark ends before a tag and continues after it, so that elements nest. */
export function marked(line: string, ranges: readonly Range[]): string {
  let [out, at, index, isOpen] = ['', 0, 0, false]
  const turn = (wanted: boolean) => {
    if (wanted !== isOpen) out += wanted ? '<mark>' : '</mark>'
    isOpen = wanted
  }
  for (const [found] of line.matchAll(piece)) {
    if (found.startsWith('<')) {
      turn(false)
      out += found
      continue
    }
    const length = found.startsWith('&') ? 1 : found.length
    for (let from = 0; from < length; ) {
      while (index < ranges.length && (ranges[index] as Range)[1] <= at) index += 1
      const [start, end] = ranges[index] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      turn(at >= start)
      const to = Math.min(length, from + (at >= start ? end : start) - at)
      out += length === 1 ? found : found.slice(from, to)
      at += to - from
      from = to
    }
  }
  turn(false)
  return out
}
