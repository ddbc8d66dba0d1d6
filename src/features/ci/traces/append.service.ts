/** Receives a growing trace piece by piece, masked and limited in size. Acknowledged bytes are stored exactly once. */
import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { App } from '../../../app.ts'
import type { PlannedJob } from '../../../ci/plan.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { locateProject } from '../../spaces/projects/projects.ts'
import type { RunningJob } from '../job-tokens/job-tokens.ts'
import { loadStoredVariables } from '../variables/variables.ts'
import { heldBack, hideMasked, reachOf } from './masks.ts'
import { type Chunk, chunksFrom, insertChunks, lockTrace, rewriteChunk, type Trace, touchJob, updateTrace } from './traces.queries.ts'

/** Bytes beyond this are counted, but not stored. */
export const maxTrace_bytes = 100 * 1024 * 1024
const notice = Buffer.from(
  `\n\u001b[31;1mThe trace is longer than ${maxTrace_bytes / 1024 / 1024} MB: what follows is not kept.\u001b[0;m\n`,
)

const chunk_bytes = 128 * 1024
const heardOf_ms = 60_000

export interface Piece {
  /** Offset in the trace. */
  start: number
  bytes: Buffer
  /** The token of the job, masked like a variable. */
  token: string | null
}

/**
 * Appends the new part of a piece; repeated bytes were acknowledged before and are skipped.
 * @returns the length of the trace, and whether the piece was accepted: it isn't if it begins after a gap, or ends before the trace does
 */
export async function appendTrace(app: App, running: RunningJob, piece: Piece): Promise<{ length: number; fits: boolean }> {
  const masks = await masksOf(app, running, piece.token)
  const job_id = running.job.id
  const since = new Date(Date.now() - heardOf_ms).toISOString()
  // A statement that writes waits for every other, even if it changes nothing.
  if ((running.status.updated_at ?? '') < since) await touchJob(app.db, job_id, since)
  return inTransaction(app.db, async (tx) => {
    const trace = await lockTrace(tx, job_id)
    if (trace.store_key !== null) throw new Failure('forbidden', '403 Forbidden - Job is not running')
    const end = piece.start + piece.bytes.length
    if (piece.start > trace.length || end < trace.length) return { length: trace.length, fits: false }
    const fresh = piece.bytes.subarray(trace.length - piece.start)
    if (fresh.length > 0) await append(tx, trace, fresh, masks)
    return { length: end, fits: true }
  })
}

async function append(tx: Tx, { job_id, length, shown, crc32: crc }: Trace, fresh: Buffer, masks: readonly Buffer[]): Promise<void> {
  const received = { length: length + fresh.length, crc32: crc32(fresh, crc) }
  const kept = fresh.subarray(0, Math.max(0, maxTrace_bytes - length))
  if (kept.length === 0) return updateTrace(tx, job_id, received)
  const before = await tailOf(tx, job_id, length, reachOf(masks))
  const tail_bytes = before.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const whole = hideMasked(Buffer.concat([...before.map(({ bytes }) => bytes), kept]), masks)
  let at = 0
  for (const chunk of before) {
    const bytes = whole.subarray(at, at + chunk.bytes.length)
    if (!bytes.equals(chunk.bytes)) await rewriteChunk(tx, job_id, { start: chunk.start, bytes })
    at += chunk.bytes.length
  }
  const chunks = cut(whole.subarray(tail_bytes), length)
  const isOver = length + fresh.length > maxTrace_bytes
  if (isOver) chunks.push({ start: maxTrace_bytes, bytes: notice })
  await insertChunks(tx, job_id, chunks)
  const stored = length + kept.length + (isOver ? notice.length : 0)
  // Once the trace is full, no more bytes can complete a value.
  await updateTrace(tx, job_id, { ...received, shown: Math.max(shown, isOver ? stored : stored - heldBack(whole, masks)) })
}

function cut(bytes: Buffer, start: number): Chunk[] {
  const count = Math.ceil(bytes.length / chunk_bytes)
  return Array.from({ length: count }, (_, index) => ({
    start: start + index * chunk_bytes,
    bytes: bytes.subarray(index * chunk_bytes, (index + 1) * chunk_bytes),
  }))
}

/** The last pieces, with at least this many bytes. */
async function tailOf(tx: Tx, job_id: number, length: number, reach: number): Promise<Chunk[]> {
  if (reach === 0 || length === 0) return []
  return chunksFrom(tx, job_id, Math.max(0, length - reach), 10_000)
}

/** Values of a job don't change while it runs. */
const masksByJob = new WeakMap<App['secrets'], LRUCache<number, readonly Buffer[]>>()

/**
 * Secrets to mask in the trace of this job: its masked variables, its id tokens, and its token. The longest first, so that no part of one
 * stays.
 */
async function masksOf(app: App, { job, status }: RunningJob, token: string | null): Promise<readonly Buffer[]> {
  const cache = masksByJob.get(app.secrets) ?? new LRUCache<number, readonly Buffer[]>({ max: 500 })
  masksByJob.set(app.secrets, cache)
  const known = cache.get(job.id)
  if (known) return known
  const project = await locateProject(app.db, job.project_id)
  const { environment } = JSON.parse(job.plan) as Partial<PlannedJob>
  const variables = await loadStoredVariables(app.db, app.secrets, { project, protected: status.protected })
  const values = variables(environment?.name ?? null).flatMap(({ masked, value }) => (masked ? [value] : []))
  const id_tokens: string[] = job.id_tokens === null ? [] : JSON.parse(app.secrets.unseal(job.id_tokens, 'ci_jobs.id_tokens'))
  const masks = [...new Set([...values, ...id_tokens, ...(token ? [token] : [])])]
    .filter((value) => value !== '')
    .map((value) => Buffer.from(value))
  cache.set(job.id, masks)
  return masks
}
