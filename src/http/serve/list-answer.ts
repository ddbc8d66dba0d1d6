/**
 * Answers of lists: rows are read, presented and written in portions, so that an answer takes the same memory however large its rows are.
 * Most pages are one portion. Otherwise, a numbered page is written as fast as its reader takes it; a page by cursor or token ends early,
 * and its link continues from there.
 */
import type { TSchema } from 'typebox'
import { oneAtATime } from '../../limits/one-at-a-time.ts'
import { ReadLimitReached, type ReadMeter, readMeter } from '../../limits/read-meter.ts'
import type { Page, Rows } from '../reply/page.ts'
import { serializer } from '../reply/serialize.ts'

/** How many portions one row may take; larger rows are read one at a time in the whole process. */
const portionsOfRow = 4

/** Reads a part of a page; may be called again for the same part. Returns null if the meter stops it. */
export type ReadRows = (page: Page, meter: ReadMeter | null) => Promise<Rows<unknown>>

interface Portion {
  listed: Rows<unknown>
  /** Number of rows of the list that it covers, which may be more than it contains if some are not shown. */
  covered: number
  /** Bytes counted while it was read. */
  bytes: number
  /** The rest of the page. */
  rest: Page | null
}

export interface ListText {
  /** Contains the total and the other values of the headers. */
  first: Rows<unknown>
  /** The whole text, or its first part. */
  text: string
  /** The portions that follow; null if the text is complete. */
  rest: AsyncGenerator<string> | null
}

/** Writes lists of these items; a portion is limited to about `portion_bytes`, both read and written. */
export function listWriter(item: TSchema): (read: ReadRows, page: Page, portion_bytes: number) => Promise<ListText> {
  const textOf = serializer(item)

  /** The rows from `start` on that fit into a portion. */
  function written(rows: unknown[], start: number, before: string, portion_bytes: number): { text: string; end: number } {
    let text = before
    let end = start
    for (; end < rows.length && text.length <= portion_bytes; end += 1) {
      text += text === '[' ? textOf(rows[end]) : `,${textOf(rows[end])}`
    }
    return { text, end }
  }

  async function* following(read: ReadRows, first: Portion, start: number, portion_bytes: number): AsyncGenerator<string> {
    let portion = first
    let at = start
    let rest = first.rest
    let isEmpty = first.listed.rows.length === 0
    for (;;) {
      const { rows } = portion.listed
      while (at < rows.length) {
        const { text, end } = written(rows, at, isEmpty ? '[' : '', portion_bytes)
        isEmpty = false
        at = end
        yield text
      }
      if (rest === null) break
      portion = await readPortion(read, rest, nextLimit(portion, rest, portion_bytes), portion_bytes)
      at = 0
      rest = portion.rest
    }
    yield isEmpty ? '[]' : ']'
  }

  return async (read, page, portion_bytes) => {
    const portion = await readPortion(read, page, page.limit, portion_bytes)
    const first = portion.listed
    const { text, end } = written(first.rows, 0, '[', portion_bytes)
    if (end === first.rows.length && portion.rest === null) return { first, text: `${text}]`, rest: null }
    return { first, text: first.rows.length === 0 ? '' : text, rest: following(read, portion, end, portion_bytes) }
  }
}

/** The part of a page that follows this many of its rows; null if there is none, or if the link leads there. */
function restOf(page: Page, { next_token, total }: Rows<unknown>, covered: number): Page | null {
  if (page.keyset || next_token !== undefined) return null
  const rest = { whole: page, ...page, offset: page.offset + covered, limit: page.limit - covered }
  return rest.limit > 0 && rest.offset < total ? rest : null
}

/** The number of rows that would fit if they were as large as those before, but at most twice as many. */
function nextLimit({ covered, bytes }: Portion, rest: Page, max_bytes: number): number {
  const fitting = bytes === 0 ? rest.limit : Math.floor((covered * max_bytes) / bytes / 2)
  return Math.max(1, Math.min(rest.limit, fitting, 2 * covered))
}

/** Reads as many rows as fit into a portion, up to `limit` and at least one. */
async function readPortion(read: ReadRows, page: Page, limit: number, portion_bytes: number): Promise<Portion> {
  const portionOf = (part: Page, listed: Rows<unknown>, bytes: number) => {
    return { listed, bytes, covered: part.limit, rest: restOf(page, listed, part.limit) }
  }
  for (let covered = limit; covered > 0; covered = covered > 1 ? Math.max(1, Math.floor(covered / 4)) : 0) {
    const part = { whole: page, ...page, limit: covered }
    const found = await readWithin(read, part, covered > 1 ? portion_bytes : portionsOfRow * portion_bytes)
    if (found) return portionOf(part, found.listed, found.bytes)
  }
  const part = { whole: page, ...page, limit: 1 }
  // Rows of unlimited size, such as a discussion with a thousand long replies, are held in memory one at a time.
  return portionOf(part, await oneAtATime('row of any size', () => read(part, null)), Number.POSITIVE_INFINITY)
}

/** Null if it exceeds the meter. */
async function readWithin(read: ReadRows, page: Page, max_bytes: number): Promise<Pick<Portion, 'listed' | 'bytes'> | null> {
  const meter = readMeter(max_bytes)
  try {
    const listed = await read(page, meter)
    // A read that failed because of the meter may have been treated as a missing object; the result is incomplete then.
    return meter.isSpent ? null : { listed, bytes: meter.bytes }
  } catch (error) {
    if (meter.isSpent || error instanceof ReadLimitReached) return null
    throw error
  }
}
