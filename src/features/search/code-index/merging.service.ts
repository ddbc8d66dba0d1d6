/** Merges several segments into one, without removed documents, so that a search reads few files. */
import { setImmediate as turn } from 'node:timers/promises'
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import { deleteSegments, insertSegment, partsOfSegments, segmentsWithUse } from './code-index.queries.ts'
import { newName, releaseOthers, removeFiles, segmentOf, writeSegment } from './files.ts'
import { encodeTail } from './segment-builder.ts'
import { type Doc, decodeDocs, encodeDocs, entry_bytes, header_bytes, maxEncoded_bytes, writeHeader } from './segment-format.ts'
import { readRange, type Segment } from './segment-reader.ts'
import { indexLock } from './update.service.ts'

type SegmentRow = Awaited<ReturnType<typeof segmentsWithUse>>[number]
type PartRow = Awaited<ReturnType<typeof partsOfSegments>>[number]

/** This many segments of about the same size are merged. */
const mergedAtOnce = 8
const smallest_bytes = 64 * 1024
/** No segment gets larger than about this. */
const largest_bytes = 160 * 1024 * 1024

/** Selects the next segments to merge; none if there are few enough. */
export function chooseMerge(segments: SegmentRow[]): SegmentRow[] {
  // The rest of segments that are mostly removed.
  const sparse = segments.find(({ docs, used, removed_chars, bytes }) => used < docs / 2 || removed_chars > bytes / 16)
  if (sparse) return [sparse]
  const levels = new Map<number, SegmentRow[]>()
  for (const segment of segments) {
    if (segment.bytes * 2 > largest_bytes) continue
    const level = Math.floor(Math.log(Math.max(segment.bytes / smallest_bytes, 1)) / Math.log(mergedAtOnce))
    levels.set(level, [...(levels.get(level) ?? []), segment])
  }
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const some: SegmentRow[] = []
    let bytes = 0
    for (const segment of levels.get(level) ?? []) {
      if (some.length === 2 * mergedAtOnce || bytes + segment.bytes > largest_bytes) break
      some.push(segment)
      bytes += segment.bytes
    }
    if (some.length >= mergedAtOnce || (some.length > 1 && bytes * 2 > largest_bytes)) return some
  }
  return []
}

/**
 * Merges once. False if there was nothing to do. Crash-safe: before the transaction the new file has no row, after it the old ones have
 * none.
 */
export async function mergeSegments(app: App, stopping?: AbortSignal): Promise<boolean> {
  const all = await segmentsWithUse(app.db)
  const chosen = chooseMerge(all)
  if (chosen.length === 0) return false
  const ids = chosen.map(({ id }) => id)
  const before = await inTransaction(app.db, (tx) => partsOfSegments(tx, ids))
  const inputs = await Promise.all(
    chosen.map(async ({ id, file }) =>
      inputOf(
        await segmentOf(app, file),
        before.filter(({ segment_id }) => segment_id === id),
      ),
    ),
  )
  number(inputs)
  const file = newName()
  const docs = inputs.reduce((sum, { live }) => sum + live, 0)
  const bytes = docs === 0 ? 0 : await writeMerged(app, file, inputs, docs, stopping)
  await inTransaction(app.db, async (tx) => {
    await oneAtATime(tx, indexLock)
    const current = await partsOfSegments(tx, ids)
    const parts = current.flatMap((part) => moved(part, inputs[ids.indexOf(part.segment_id)] as Input))
    if (docs > 0) await insertSegment(tx, { file, bytes, docs, parts })
    await deleteSegments(tx, ids)
  })
  releaseOthers(app, new Set([file, ...all.filter(({ id }) => !ids.includes(id)).map(({ file }) => file)]))
  await removeFiles(
    app,
    chosen.map(({ file }) => file),
  )
  return true
}

interface Input {
  segment: Segment
  parts: PartRow[]
  /** The new number of each document; -1 if it was removed. */
  numbers: Int32Array
  live: number
}

function inputOf(segment: Segment, parts: PartRow[]): Input {
  const numbers = new Int32Array(segment.docCount).fill(-1)
  let live = 0
  for (const { first_doc, docs, removed } of parts) {
    numbers.fill(0, first_doc, first_doc + docs)
    const gone = JSON.parse(removed) as number[]
    for (const doc of gone) numbers[doc] = -1
    live += docs - gone.length
  }
  return { segment, parts, numbers, live }
}

function number(inputs: Input[]): void {
  let next = 0
  for (const { numbers } of inputs) {
    for (let doc = 0; doc < numbers.length; doc += 1) {
      if (numbers[doc] === -1) continue
      numbers[doc] = next
      next += 1
    }
  }
}

/** The part in the new segment, without documents removed while it was being written. */
function moved({ project_id, first_doc, docs, removed }: PartRow, { numbers }: Input) {
  const kept: number[] = []
  for (let doc = first_doc; doc < first_doc + docs; doc += 1) if (numbers[doc] !== -1) kept.push(numbers[doc] as number)
  const gone = (JSON.parse(removed) as number[]).flatMap((doc) => (numbers[doc] === -1 ? [] : [numbers[doc] as number]))
  return kept.length === 0 ? [] : [{ project_id, first_doc: kept[0] as number, docs: kept.length, removed: gone }]
}

const piece_bytes = 1024 * 1024

async function writeMerged(app: App, name: string, inputs: Input[], docCount: number, stopping?: AbortSignal): Promise<number> {
  return writeSegment(app, name, async (append, replace) => {
    await append(Buffer.alloc(header_bytes))
    const dictionary: number[] = []
    let at = header_bytes
    for await (const { trigram, bytes } of mergedPostings(inputs, stopping)) {
      dictionary.push(trigram, at)
      at += bytes.length
      await append(bytes)
    }
    const entries = Buffer.from(Uint32Array.from(dictionary).buffer)
    await append(entries)
    const docs = await liveDocs(inputs)
    const tail = encodeTail(docs, at + entries.length)
    await append(tail.bytes)
    await replace(writeHeader({ docCount, trigramCount: entries.length / entry_bytes, dictionary: at, ...tail.places }), 0)
  })
}

async function liveDocs(inputs: Input[]): Promise<Doc[]> {
  const live: Doc[] = []
  for (const { segment, numbers } of inputs) {
    for (let first = 0; first < segment.docCount; first += 5_000) {
      const docs = await readRange(segment, first, Math.min(5_000, segment.docCount - first))
      for (const [index, doc] of docs.entries()) if (numbers[first + index] !== -1) live.push(doc)
    }
  }
  return live
}

/** Milliseconds of work per turn of the event loop. */
const turn_ms = 5

async function* mergedPostings(inputs: Input[], stopping?: AbortSignal) {
  const cursors = await Promise.all(inputs.map(openCursor))
  let rested_at = performance.now()
  for (;;) {
    const trigram = Math.min(...cursors.map((cursor) => cursor.trigram()))
    if (trigram === Number.POSITIVE_INFINITY) return
    const merged: number[] = []
    for (const cursor of cursors) if (cursor.trigram() === trigram) await cursor.take(merged)
    if (merged.length > 0) {
      const bytes = Buffer.allocUnsafe(maxEncoded_bytes(merged.length))
      yield { trigram, bytes: bytes.subarray(0, encodeDocs(merged, bytes, 0)) }
    }
    if (performance.now() - rested_at < turn_ms) continue
    stopping?.throwIfAborted()
    await turn()
    rested_at = performance.now()
  }
}

/** Iterates over the documents of one trigram after another, by new numbers. */
async function openCursor({ segment: { sections, read }, numbers }: Input) {
  const { dictionary, trigramCount } = sections
  const entries = await read(dictionary, trigramCount * entry_bytes)
  let next = 0
  let window: Buffer = Buffer.alloc(0)
  let windowStart = 0
  const startOf = (index: number) => (index < trigramCount ? entries.readUInt32LE(index * entry_bytes + 4) : dictionary)
  return {
    trigram: () => (next < trigramCount ? entries.readUInt32LE(next * entry_bytes) : Number.POSITIVE_INFINITY),
    async take(into: number[]): Promise<void> {
      const [start, end] = [startOf(next), startOf(next + 1)]
      next += 1
      if (start < windowStart || end > windowStart + window.length) {
        windowStart = start
        window = await read(start, Math.min(Math.max(end - start, piece_bytes), dictionary - start))
      }
      for (const doc of decodeDocs(window.subarray(start - windowStart, end - windowStart))) {
        const moved = numbers[doc] as number
        if (moved !== -1) into.push(moved)
      }
    },
  }
}
