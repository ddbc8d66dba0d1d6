/** Parts of traces for pages: first the last lines, then what follows, and earlier parts on demand. */
import type { App } from '../../../app.ts'
import { openTrace } from '../traces/traces.ts'

export interface TracePart {
  /** Offset of its first byte. */
  start: number
  /** Offset after its last byte: what follows begins there. */
  end: number
  /** Number of its first line, from 1. */
  line: number
  bytes: Buffer
  /** Whether the trace goes on behind it. */
  hasMore: boolean
}

export interface PartLimits {
  max_lines: number
  max_bytes: number
}

const newline = 10

/** The number of lines before an offset, for recently read jobs: a trace only grows. */
const counted = new Map<number, { offset: number; lines: number }>()
const maxCounted = 200

function remember(job_id: number, offset: number, lines: number): void {
  counted.delete(job_id)
  counted.set(job_id, { offset, lines })
  for (const [oldest] of counted) if (counted.size > maxCounted) counted.delete(oldest)
}

function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

/** Offset of the last `max_lines` lines in these bytes. */
function startOfLast(bytes: Buffer, max_lines: number): number {
  let at = bytes.length - (bytes.at(-1) === newline ? 1 : 0)
  for (let lines = 0; lines < max_lines; lines += 1) {
    const before = at > 0 ? bytes.lastIndexOf(newline, at - 1) : -1
    if (before < 0) return 0
    at = before
  }
  return at + 1
}

/** Offset after the first `max_lines` lines in these bytes. */
function endOfFirst(bytes: Buffer, max_lines: number): number {
  let at = 0
  for (let lines = 0; lines < max_lines; lines += 1) {
    const end = bytes.indexOf(newline, at)
    if (end < 0) return bytes.length
    at = end + 1
  }
  return at
}

/**
 * The last lines of a trace, or those before the line `before`. A stored trace is read from its beginning, a growing one from where its
 * lines were last counted; at most `max_bytes` are held.
 * @returns null if the job has no trace
 */
export async function readTraceEnd(
  app: App,
  job_id: number,
  { max_lines, max_bytes, before = Number.POSITIVE_INFINITY }: PartLimits & { before?: number | undefined },
): Promise<TracePart | null> {
  const trace = await openTrace(app, job_id)
  if (!trace) return null
  const known = counted.get(job_id)
  // Neither fewer lines nor fewer bytes may be found than are wanted.
  const isUsable = known !== undefined && known.offset <= trace.size - max_bytes && known.lines < before - max_lines
  let at = isUsable ? known.offset : 0
  // Number of lines before `at`.
  let lines = isUsable ? known.lines : 0
  const kept: Buffer[] = []
  let size = 0
  for await (const piece of at < trace.size ? await trace.read(at) : []) {
    const wanted = before - 1 - lines
    const bytes = (piece as Buffer).subarray(0, endOfFirst(piece as Buffer, wanted))
    const found = linesIn(bytes)
    kept.push(bytes)
    at += bytes.length
    lines += found
    size += bytes.length
    while (kept[0] && size - kept[0].length >= max_bytes) size -= kept.shift()?.length ?? 0
    if (found >= wanted) break
  }
  const bytes = Buffer.concat(kept)
  const linesBefore = lines - linesIn(bytes)
  if (before === Number.POSITIVE_INFINITY) remember(job_id, at - bytes.length, linesBefore)
  const cut = Math.max(startOfLast(bytes, max_lines), startOfLine(bytes, bytes.length - max_bytes))
  const shown = bytes.subarray(cut)
  return {
    start: at - shown.length,
    end: at,
    line: linesBefore + linesIn(bytes.subarray(0, cut)) + 1,
    bytes: shown,
    hasMore: at < trace.size,
  }
}

/** Start of the first line at or after an offset; the offset itself inside a line that is longer than everything. */
function startOfLine(bytes: Buffer, place: number): number {
  if (place <= 0) return 0
  const before = bytes.indexOf(newline, place - 1)
  return before < 0 ? place : before + 1
}

/** The part after an offset. Null if the job has no trace. */
export async function readTraceFrom(
  app: App,
  job_id: number,
  { from, line, max_lines, max_bytes }: PartLimits & { from: number; line: number },
): Promise<TracePart | null> {
  const trace = await openTrace(app, job_id)
  if (!trace) return null
  const kept: Buffer[] = []
  const end = Math.min(trace.size, from + max_bytes)
  for await (const piece of from < end ? await trace.read(from, end) : []) kept.push(piece as Buffer)
  const read = Buffer.concat(kept)
  const bytes = read.subarray(0, endOfFirst(read, max_lines))
  return { start: from, end: from + bytes.length, line, bytes, hasMore: from + bytes.length < trace.size }
}
