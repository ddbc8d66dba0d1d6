/** SQL for traces: their pieces while they grow, and the object they become. */
import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiTraceChunkTable, CiTraceTable } from '../../../db/tables.ts'

export type Trace = Selectable<CiTraceTable>
export type Chunk = Pick<Selectable<CiTraceChunkTable>, 'start' | 'bytes'>

export async function traceOf(db: Db, job_id: number): Promise<Trace | null> {
  return (await db.selectFrom('ci_traces').selectAll().where('job_id', '=', job_id).executeTakeFirst()) ?? null
}

/** The trace of the job, locked until the transaction ends; an empty one if there was none. */
export function lockTrace(tx: Db, job_id: number): Promise<Trace> {
  return tx
    .insertInto('ci_traces')
    .values({ job_id, size: null, store_key: null })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ job_id }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateTrace(tx: Db, job_id: number, fields: Partial<Omit<Trace, 'job_id'>>): Promise<void> {
  await tx.updateTable('ci_traces').set(fields).where('job_id', '=', job_id).execute()
}

/** Up to `limit` pieces in order, starting with the one that contains this offset. */
export function chunksFrom(db: Db, job_id: number, offset: number, limit: number): Promise<Chunk[]> {
  return db
    .selectFrom('ci_trace_chunks')
    .select(['start', 'bytes'])
    .where('job_id', '=', job_id)
    .where('start', '>=', (eb) =>
      eb.fn.coalesce(
        eb
          .selectFrom('ci_trace_chunks as before')
          .select((before) => before.fn.max('before.start').as('start'))
          .where('before.job_id', '=', job_id)
          .where('before.start', '<=', offset),
        eb.lit(0),
      ),
    )
    .orderBy('start')
    .limit(limit)
    .execute()
}

export async function insertChunks(tx: Db, job_id: number, chunks: Chunk[]): Promise<void> {
  if (chunks.length > 0)
    await tx
      .insertInto('ci_trace_chunks')
      .values(chunks.map((chunk) => ({ job_id, ...chunk })))
      .execute()
}

export async function rewriteChunk(tx: Db, job_id: number, { start, bytes }: Chunk): Promise<void> {
  await tx.updateTable('ci_trace_chunks').set({ bytes }).where('job_id', '=', job_id).where('start', '=', start).execute()
}

export async function deleteChunks(tx: Db, job_id: number): Promise<void> {
  await tx.deleteFrom('ci_trace_chunks').where('job_id', '=', job_id).execute()
}

/** Records contact with the job, unless that was done since this instant. */
export async function touchJob(db: Db, job_id: number, before: string): Promise<void> {
  await db
    .updateTable('commit_statuses')
    .set({ updated_at: now() })
    .where('id', '=', job_id)
    .where('status', '=', 'running')
    .where('updated_at', '<', before)
    .execute()
}

/** The given jobs whose trace is in pieces. */
export async function jobsWithPieces(db: Db, job_ids: readonly number[]): Promise<number[]> {
  if (job_ids.length === 0) return []
  const rows = await db.selectFrom('ci_traces').select('job_id').where('job_id', 'in', job_ids).where('store_key', 'is', null).execute()
  return rows.map(({ job_id }) => job_id)
}

/** Deletes the traces, and returns the keys of their objects. */
export async function deleteTracesOf(tx: Db, job_ids: readonly number[]): Promise<string[]> {
  if (job_ids.length === 0) return []
  await tx.deleteFrom('ci_trace_chunks').where('job_id', 'in', job_ids).execute()
  const rows = await tx.deleteFrom('ci_traces').where('job_id', 'in', job_ids).returning('store_key').execute()
  return rows.flatMap(({ store_key }) => (store_key === null ? [] : [store_key]))
}

/** From now on only users who may run the job can read its trace. */
export async function noteThatPrintsVariables(db: Db, job_id: number): Promise<void> {
  await db.updateTable('ci_jobs').set({ prints_variables: true }).where('id', '=', job_id).execute()
}
