/** Reads traces, while they grow and afterwards. */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { chunksFrom, deleteTracesOf, traceOf } from './traces.queries.ts'

/** Removes the traces of these jobs, when the jobs are erased or deleted. */
export async function removeTracesOf(tx: Db, job_ids: readonly number[]): Promise<void> {
  await abandonAll(tx, await deleteTracesOf(tx, job_ids))
}

export interface OpenTrace {
  /** Bytes that may be shown now; it grows while the job runs. */
  size: number
  /** Whether the trace is complete. */
  is_closed: boolean
  /** The bytes from `start` (inclusive) to `end` (exclusive). */
  read: (start?: number, end?: number) => Promise<Readable>
}

/** The trace of a job, for readers; null if the job has printed nothing, or was erased. */
export async function openTrace(app: App, job_id: number): Promise<OpenTrace | null> {
  const trace = await traceOf(app.db, job_id)
  if (!trace) return null
  const { store_key, shown: size } = trace
  return {
    size,
    is_closed: store_key !== null,
    async read(start = 0, end = size) {
      const object = store_key === null ? null : await app.store.open(store_key)
      const source = object === null ? growing(app.db, job_id, start) : unzipped(object, start)
      const trace = Readable.from(upTo(source, end - start), { objectMode: false })
      // Not left to the generator: one that nobody has begun to read does not end, and closes nothing.
      return trace.once('close', () => object?.destroy())
    },
  }
}

/** As `openTrace`, as text; only the last `max_bytes` if it is longer. */
export async function tailOfTrace(app: App, job_id: number, max_bytes: number): Promise<string> {
  const trace = await openTrace(app, job_id)
  if (!trace) return ''
  const parts: Buffer[] = []
  for await (const part of await trace.read(Math.max(0, trace.size - max_bytes))) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** Pieces read at once. */
const atOnce = 32

async function* growing(db: Db, job_id: number, start: number): AsyncGenerator<Buffer> {
  for (let at = start; ; ) {
    const chunks = await chunksFrom(db, job_id, at, atOnce)
    let next = at
    for (const { start: first, bytes } of chunks) {
      const end = first + bytes.length
      if (end <= next) continue
      yield bytes.subarray(Math.max(0, next - first))
      next = end
    }
    if (next === at) return
    at = next
  }
}

async function* unzipped(object: Readable, start: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  object.once('error', (error) => gunzip.destroy(error))
  let skip = start
  for await (const part of object.pipe(gunzip) as AsyncIterable<Buffer>) {
    if (skip < part.length) yield part.subarray(skip)
    skip = Math.max(0, skip - part.length)
  }
}

async function* upTo(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let left = length
  if (left <= 0) return
  for await (const part of source) {
    yield part.subarray(0, left)
    left -= part.length
    if (left <= 0) return
  }
}
