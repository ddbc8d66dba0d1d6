/** Converts the pieces of a trace to one compressed object after its job has ended. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { deleteChunks, lockTrace, traceOf, updateTrace } from './traces.queries.ts'
import { openTrace } from './traces.service.ts'

/** Safe to repeat and to interrupt: the pieces are deleted in the transaction that adds the reference to the object. */
export const compactTraceJob: Job<{ job_id: number }> = job('traces.compact', {
  lane: 'slow',
  key: ({ job_id }) => `compact trace ${job_id}`,
  async handle(app, { job_id }) {
    // Pieces that arrive meanwhile are included by the next attempt.
    for (let tries = 0; tries < 3; tries += 1) if (await compact(app, job_id)) return
    throw new Error('a trace grows after its job has ended')
  },
})

/** False if the trace has changed meanwhile. */
async function compact(app: App, job_id: number): Promise<boolean> {
  const before = await traceOf(app.db, job_id)
  if (!before || before.store_key !== null) return true
  // Nothing follows that could complete a masked value.
  const end = Number.MAX_SAFE_INTEGER
  const file = await app.store.openDraft()
  try {
    const trace = await openTrace(app, job_id)
    if (!trace) return true
    let shown = 0
    const counted = async function* () {
      for await (const part of await trace.read(0, end)) {
        shown += (part as Buffer).length
        yield part
      }
    }
    await pipeline(Readable.from(counted(), { objectMode: false }), createGzip(), async (zipped: AsyncIterable<Buffer>) => {
      for await (const part of zipped) await file.append(part)
    })
    const key = await storeDraft(app, 'traces', file)
    return await inTransaction(app.db, async (tx) => {
      if (!(await traceOf(tx, job_id))) return true
      const now = await lockTrace(tx, job_id)
      if (now.store_key !== null) return true
      if (now.length !== before.length) return false
      if (!(await refer(tx, key))) return false
      await updateTrace(tx, job_id, { store_key: key, size: file.size, shown })
      await deleteChunks(tx, job_id)
      return true
    })
  } finally {
    await file.close()
  }
}

export const traceJobs: AnyJob[] = [compactTraceJob]
