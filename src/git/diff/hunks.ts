/** The lines a patch shows, each with its number on the old and the new side. */

export type Side = 'old' | 'new'

export interface DiffLine {
  /** Null for a line that was added. */
  old_line: number | null
  /** Null for a line that was removed. */
  new_line: number | null
}

/** A row of a displayed patch: a line, a hunk header, or `end` (the line before has no newline). The last two have no numbers. */
export interface DiffRow extends DiffLine {
  kind: 'hunk' | 'added' | 'removed' | 'same' | 'end'
  /** Without the leading sign. */
  text: string
}

/** The lines of a patch in the unified format. */
export function* linesOf(patch: string): Iterable<DiffLine> {
  for (const row of rowsOf(patch)) if (row.kind !== 'hunk' && row.kind !== 'end') yield row
}

/**
 * Reads a patch in the unified format. Lines and headers are distinguished by the counts of each hunk, since a removed
 * line may look like a header.
 */
export function* rowsOf(patch: string): Iterable<DiffRow> {
  let hunk: Hunk | null = null
  for (const line of eachLine(patch)) {
    // `\ No newline at end of file` is not a line of the file.
    if (hunk && line.startsWith('\\')) {
      yield { kind: 'end', old_line: null, new_line: null, text: line.slice(2) }
      continue
    }
    if (!hunk || (hunk.old_left === 0 && hunk.new_left === 0)) {
      hunk = hunkAt(line)
      if (hunk) yield { kind: 'hunk', old_line: null, new_line: null, text: line }
      continue
    }
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same'
    yield {
      kind,
      old_line: kind === 'added' ? null : hunk.old_line,
      new_line: kind === 'removed' ? null : hunk.new_line,
      text: line.slice(1),
    }
    advance(hunk, kind)
  }
}

/** The next line number on each side, and how many lines of the hunk are left. */
interface Hunk {
  old_line: number
  old_left: number
  new_line: number
  new_left: number
}

function hunkAt(line: string): Hunk | null {
  const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
  if (!head) return null
  return { old_line: Number(head[1]), old_left: Number(head[2] ?? 1), new_line: Number(head[3]), new_left: Number(head[4] ?? 1) }
}

function advance(hunk: Hunk, kind: DiffRow['kind']): void {
  if (kind !== 'added') {
    hunk.old_line += 1
    hunk.old_left -= 1
  }
  if (kind !== 'removed') {
    hunk.new_line += 1
    hunk.new_left -= 1
  }
}

/** Whether the patch shows the given line of one side, as changed or as context. */
export function showsLine(patch: string, side: Side, number: number): boolean {
  for (const { old_line, new_line } of linesOf(patch)) if ((side === 'new' ? new_line : old_line) === number) return true
  return false
}

function* eachLine(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    yield text.slice(at, end)
    at = end + 1
  }
}
