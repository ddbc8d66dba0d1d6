/** Maps the lines of a file before a change to those after it, and back; also parses the changed ranges. */

/** A run of lines that is replaced by another; either count may be 0. A start is the first such line, or the line after the gap. */
export interface ChangedRange {
  old_start: number
  old_count: number
  new_start: number
  new_count: number
}

export interface LineMap {
  /** The line on the new side; null if the change removes it. Lines count from 1. */
  toNew: (oldLine: number) => number | null
  /** The line on the old side; null if the change adds it. */
  toOld: (newLine: number) => number | null
  /**
   * The pair of numbers that line codes use: an added line has the old number of the line after the removed ones, a removed line has the
   * number of the first new line in its place.
   */
  counters: (line: { old_line: number | null; new_line: number | null }) => [old_line: number, new_line: number]
}

/** @param ranges in ascending order */
export function lineMap(ranges: readonly ChangedRange[]): LineMap {
  const before = (line: number, side: 'old_start' | 'new_start'): ChangedRange | null => {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle] as ChangedRange)[side] <= line) low = middle + 1
      else high = middle
    }
    return ranges[low - 1] ?? null
  }
  const toNew = (line: number) => {
    const range = before(line, 'old_start')
    if (!range) return line
    const behind = line - (range.old_start + range.old_count)
    return behind < 0 ? null : range.new_start + range.new_count + behind
  }
  const toOld = (line: number) => {
    const range = before(line, 'new_start')
    if (!range) return line
    const behind = line - (range.new_start + range.new_count)
    return behind < 0 ? null : range.old_start + range.old_count + behind
  }
  return {
    toNew,
    toOld,
    counters({ old_line, new_line }) {
      if (old_line !== null && new_line !== null) return [old_line, new_line]
      if (new_line !== null) {
        const range = before(new_line, 'new_start')
        return [range ? range.old_start + range.old_count : new_line, new_line]
      }
      const line = old_line ?? 0
      return [line, before(line, 'old_start')?.new_start ?? line]
    },
  }
}

/** The changed lines of a file, parsed from its patch. */
export interface LineChanges {
  ranges: ChangedRange[]
  /** Lines of each side if the patch has the whole file as context; otherwise the number of the last line it shows. */
  old_lines: number
  new_lines: number
  /** Whether the patch only says that the files differ. */
  binary: boolean
}

/** Only this much of a line is held: hunk headers are shorter. */
const heldHead_bytes = 120

/**
 * Parses the patch of one file in the unified format as a stream, with any amount of context; only ranges are held. A change of type (file
 * to link) consists of two patches, which replace all lines.
 */
export function lineChangesReader() {
  const changes: LineChanges = { ranges: [], old_lines: 0, new_lines: 0, binary: false }
  let head = Buffer.alloc(0)
  let isStarted = false
  let hunk = { old_line: 1, old_left: 0, new_line: 1, new_left: 0 }
  let open: ChangedRange | null = null

  const extend = (): ChangedRange => {
    const { old_line: old_start, new_line: new_start } = hunk
    const last = changes.ranges.at(-1)
    if (!open && last && old_start <= last.old_start + last.old_count && new_start <= last.new_start + last.new_count) open = last
    if (!open) {
      open = { old_start, old_count: 0, new_start, new_count: 0 }
      changes.ranges.push(open)
    }
    return open
  }
  const takeContent = (sign: number | undefined) => {
    if (sign === removed) {
      extend().old_count += 1
      hunk.old_line += 1
      hunk.old_left -= 1
    } else if (sign === added) {
      extend().new_count += 1
      hunk.new_line += 1
      hunk.new_left -= 1
    } else {
      open = null
      for (const side of ['old', 'new'] as const) {
        hunk[`${side}_line`] += 1
        hunk[`${side}_left`] -= 1
      }
    }
    changes.old_lines = Math.max(changes.old_lines, hunk.old_line - 1)
    changes.new_lines = Math.max(changes.new_lines, hunk.new_line - 1)
  }
  const takeLine = () => {
    const [sign] = head
    if (sign === backslash && isStarted) return
    if (hunk.old_left > 0 || hunk.new_left > 0) return takeContent(sign)
    const text = head.toString('latin1')
    if (text.startsWith('Binary files ')) changes.binary = true
    const next = hunkAt(text)
    if (!next) return
    isStarted = true
    hunk = next
    open = null
  }
  return {
    take(chunk: Buffer): void {
      let at = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
        head = held(head, chunk, at, end)
        takeLine()
        head = Buffer.alloc(0)
        at = end + 1
      }
      head = held(head, chunk, at, chunk.length)
    },
    result: (): LineChanges => changes,
  }
}

const [added, removed, backslash] = [43, 45, 92]

function held(head: Buffer, chunk: Buffer, from: number, to: number): Buffer<ArrayBuffer> {
  return Buffer.concat([head, chunk.subarray(from, Math.min(to, from + Math.max(0, heldHead_bytes - head.length)))])
}

/** A side without lines is numbered by the line before the gap, as in the unified format. */
function hunkAt(text: string) {
  const parts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
  if (!parts) return null
  const [old_left, new_left] = [Number(parts[2] ?? 1), Number(parts[4] ?? 1)]
  return {
    old_line: Number(parts[1]) + (old_left === 0 ? 1 : 0),
    old_left,
    new_line: Number(parts[3]) + (new_left === 0 ? 1 : 0),
    new_left,
  }
}
