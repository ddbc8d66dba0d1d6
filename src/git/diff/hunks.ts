/** The lines a patch shows, each with its number on the old and the new side. */

export type Side = 'old' | 'new'

export interface DiffLine {
  /** Null for a line that was added. */
  old_line: number | null
  /** Null for a line that was removed. */
  new_line: number | null
}

/**
 * Of a patch in the unified format. What is a line and what a header is told by the counts of each hunk, since a removed
 * line may look like a header.
 */
export function* linesOf(patch: string): Iterable<DiffLine> {
  let old_line = 0
  let new_line = 0
  let oldLeft = 0
  let newLeft = 0
  for (const line of eachLine(patch)) {
    if (oldLeft === 0 && newLeft === 0) {
      const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
      if (!head) continue
      old_line = Number(head[1])
      oldLeft = Number(head[2] ?? 1)
      new_line = Number(head[3])
      newLeft = Number(head[4] ?? 1)
      continue
    }
    // `\ No newline at end of file` is none of the lines.
    if (line.startsWith('\\')) continue
    const added = line.startsWith('+')
    const removed = line.startsWith('-')
    yield { old_line: added ? null : old_line, new_line: removed ? null : new_line }
    if (!added) {
      old_line += 1
      oldLeft -= 1
    }
    if (!removed) {
      new_line += 1
      newLeft -= 1
    }
  }
}

/** Whether the patch shows the line of this number on this side: as changed, or around what changed. */
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
