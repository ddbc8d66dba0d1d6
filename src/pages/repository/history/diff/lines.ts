/** The lines of a patch as rows of a table. The only place where HTML is joined by hand: of every text, `textOf` writes what may stand in HTML. */
import type { DiffRow } from '../../../../git/diff/hunks.ts'
import { Html } from '../../../frame/html.ts'
import { type Range, wordChanges } from './words.ts'

export interface LineOptions {
  /** The place of the file in the diff, from 1: `3R12` is line 12 of the third file as it is now. */
  file: number
  /** Rows below lines, by side and number: `R12` for a line of the new file, `L5` of the old. */
  below?: ReadonlyMap<string, Html> | undefined
  /** What stands beside the head of a hunk. */
  hunk?: Html | undefined
}

/** Longer lines are cut. */
export const maxLine_chars = 5_000

/** Both files below each other: old number, new number, sign, text. */
export function unifiedRows(rows: readonly DiffRow[], options: LineOptions): Html {
  const marks = marksOf(rows)
  let out = ''
  for (const [index, row] of rows.entries()) {
    const { kind, old_line, new_line, text } = row
    if (kind === 'hunk' || kind === 'end') out += headRow(row, 4, options)
    else {
      const id = kind === 'removed' ? `L${old_line}` : `R${new_line}`
      const name = kind === 'added' ? ' class="a"' : kind === 'removed' ? ' class="d"' : ''
      const cells = `<td>${old_line ?? ''}</td><td>${new_line ?? ''}</td><td>${signOf(kind)}</td>`
      out += `<tr${name} id="${options.file}${id}">${cells}<td>${textOf(text, kind, marks[index])}</td></tr>${belowOf(id, 4, options)}`
    }
  }
  return new Html(out)
}

/** Both files beside each other: number, sign and text of each. */
export function splitRows(rows: readonly DiffRow[], options: LineOptions): Html {
  const marks = marksOf(rows)
  let out = ''
  for (let at = 0; at < rows.length; ) {
    const row = rows[at] as DiffRow
    if (row.kind === 'hunk' || row.kind === 'end') {
      out += headRow(row, 6, options)
      at += 1
    } else if (row.kind === 'same') {
      const text = textOf(row.text, 'same', undefined)
      const id = `R${row.new_line}`
      out += `<tr id="${options.file}${id}"><td>${row.old_line}</td><td></td><td>${text}</td><td>${row.new_line}</td><td></td><td>${text}</td></tr>`
      out += belowOf(id, 6, options)
      at += 1
    } else {
      const [removed, added, next] = runAt(rows, at)
      for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
        out += changedRow(rows, marks, removed[index], added[index], options)
      }
      for (const end of rows.slice(at, next)) if (end.kind === 'end') out += headRow(end, 6, options)
      at = next
    }
  }
  return new Html(out)
}

function changedRow(
  rows: readonly DiffRow[],
  marks: Marks,
  removed: number | undefined,
  added: number | undefined,
  options: LineOptions,
): string {
  const old = removed === undefined ? undefined : rows[removed]
  const now = added === undefined ? undefined : rows[added]
  const left = old
    ? `<td class="d"${now ? ` id="${options.file}L${old.old_line}"` : ''}>${old.old_line}</td><td class="d">−</td><td class="d">${textOf(old.text, 'removed', marks[removed as number])}</td>`
    : '<td class="n" colspan="3"></td>'
  const right = now
    ? `<td class="a">${now.new_line}</td><td class="a">+</td><td class="a">${textOf(now.text, 'added', marks[added as number])}</td>`
    : '<td class="n" colspan="3"></td>'
  const ids = [...(now ? [`R${now.new_line}`] : []), ...(old ? [`L${old.old_line}`] : [])]
  return `<tr id="${options.file}${ids[0]}">${left}${right}</tr>${ids.map((id) => belowOf(id, 6, options)).join('')}`
}

/** The removed and added rows of one change, by their places, and where it ends. */
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

/** In a change, the first removed line is compared with the first added one, and so on. */
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
  return kind === 'added' ? '+' : kind === 'removed' ? '−' : ''
}

function headRow({ kind, text }: DiffRow, columns: number, { hunk }: LineOptions): string {
  const more = kind === 'hunk' ? (hunk?.text ?? '') : ''
  return `<tr class="h"><td colspan="${columns}">${more}${written(kind === 'end' ? `\\ ${text}` : cut(text))}</td></tr>`
}

function belowOf(id: string, columns: number, { below }: LineOptions): string {
  const html = below?.get(id)
  return html === undefined ? '' : `<tr class="b"><td colspan="${columns}">${html.text}</td></tr>`
}

function cut(text: string): string {
  return text.length > maxLine_chars ? text.slice(0, maxLine_chars) : text
}

/** A line, cut where it is too long, with marks around the words that changed. */
function textOf(line: string, kind: DiffRow['kind'], marks: readonly Range[] | undefined): string {
  // A return at the end of a line that didn't change is of no interest.
  const text = kind === 'same' && line.endsWith('\r') ? line.slice(0, -1) : line
  const rest = text.length - maxLine_chars
  const end = rest > 0 ? `<i>… ${rest} more characters</i>` : ''
  if (!marks || marks.length === 0) return written(cut(text)) + end
  let [out, at] = ['', 0]
  for (const [from, to] of marks) {
    out += `${written(text.slice(at, from))}<mark>${written(text.slice(from, to))}</mark>`
    at = to
  }
  return out + written(text.slice(at, maxLine_chars)) + end
}

/** HTML's own characters, and those that would turn the direction of what follows, or break the line, without being seen. */
const special = /[&<>\r\0\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const everySpecial = new RegExp(special, 'g')
const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '<b>␍</b>', '\0': '<b>␀</b>' }

function written(text: string): string {
  if (!special.test(text)) return text
  return text.replace(everySpecial, (sign) => names[sign] ?? `<b>U+${sign.charCodeAt(0).toString(16).toUpperCase()}</b>`)
}
