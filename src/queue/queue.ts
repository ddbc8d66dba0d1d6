/** The job queue, stored in a table: jobs are declared, and enqueued in the transaction they belong to. `worker.ts` runs them. */
import { sql } from 'kysely'
import type { App } from '../app.ts'
import { afterCommit, type Db } from '../db/database.ts'

export interface Job<P> {
  name: string
  /** Attempts before the job is dead; its row is kept, with the error, for an administrator. */
  attempts: number
  /** Runs again automatically after this many milliseconds. */
  every_ms: number | null
  /** Only one job with this key waits at a time: it covers everything enqueued until it starts. */
  key: ((payload: P) => string) | null
  /**
   * Jobs with the same key run one at a time, in the order in which they were enqueued, whatever slots and processes are free. A failed one
   * blocks those behind it until it succeeds or is dead.
   */
  serial: ((payload: P) => string) | null
  /** The user on whose behalf it runs: a lane runs only one job per user at a time. */
  asker: ((payload: P) => number | null) | null
  /** Also runs as soon as a worker starts. */
  at_start: boolean
  /** Separates jobs that are long, or wait for other machines, from quick jobs and from each other. */
  lane: Lane
  /** Must be idempotent. `stopping` aborts when the process stops; long work should end then. */
  handle: (app: App, payload: P, stopping?: AbortSignal) => Promise<void>
}

/** `slow`: long work. `pipelines`: parsing CI files. `webhooks`, `mirrors`, `remote`: work that waits for other machines. */
export type Lane = 'quick' | 'slow' | 'pipelines' | 'webhooks' | 'mirrors' | 'remote'

type JobSpec<P> = Pick<Job<P>, 'handle'> & Partial<Omit<Job<P>, 'name' | 'handle'>>

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs has payloads of every type; each job only gets its own
export type AnyJob = Job<any>

/** Declares a kind of background work: `job('projects.measure', { handle })`. */
export function job<P>(name: string, spec: JobSpec<P>): Job<P> {
  return { name, attempts: 5, every_ms: null, key: null, serial: null, asker: null, at_start: false, lane: 'quick', ...spec }
}

export interface EnqueueOptions {
  /** Not enqueued if a job with this key already waits. By default the key of the job. */
  unique_key?: string
  delay_ms?: number
  /** Id of the user who requested it. By default the asker of the job. */
  asked_by?: number
}

const listeners = new Set<(lane: Lane) => void>()

/**
 * Calls `listener` with the lane of each job that this process enqueues to run at once, when the job is committed, and when another process
 * of the server reports one by `announce`.
 * @returns stops listening
 */
export function onEnqueued(listener: (lane: Lane) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Tells listeners that there is work in this lane. */
export function announce(lane: Lane): void {
  for (const listener of listeners) listener(lane)
}

/** Enqueues a job. With a transaction as `db`, it exists only if the transaction commits. */
export async function enqueue<P>(
  db: Db,
  { name, key, serial, asker, lane }: Job<P>,
  payload: P,
  options: EnqueueOptions = {},
): Promise<void> {
  const now = Date.now()
  await db
    .insertInto('jobs')
    .values({
      name,
      payload: JSON.stringify(payload),
      state: 'ready',
      run_at: new Date(now + (options.delay_ms ?? 0)).toISOString(),
      attempts: 0,
      last_error: null,
      unique_key: options.unique_key ?? key?.(payload) ?? null,
      serial_key: serial?.(payload) ?? null,
      asked_by: options.asked_by ?? asker?.(payload) ?? null,
      owner: null,
      created_at: new Date(now).toISOString(),
    })
    // Changes nothing in the waiting job, but locks it: if it were claimed before this transaction commits, it would not see what the
    // transaction wrote.
    .onConflict((conflict) => conflict.column('unique_key').doUpdateSet({ unique_key: sql`excluded.unique_key` }))
    .execute()
  if (!options.delay_ms) afterCommit(db, () => announce(lane))
}

/** Payloads of the oldest waiting or running jobs of a kind, for readers who can't wait for them. */
export async function openPayloads<P>(db: Db, { name }: Job<P>, limit: number): Promise<P[]> {
  const found = db.selectFrom('jobs').select('payload').where('state', '=', 'ready').where('name', '=', name).orderBy('id').limit(limit)
  return (await found.execute()).map(({ payload }) => JSON.parse(payload) as P)
}

/** Removes the dead jobs of these kinds, whose payloads must not be kept. */
export async function removeDead(db: Db, jobs: AnyJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name)
  await db.deleteFrom('jobs').where('name', 'in', names).where('state', '=', 'dead').execute()
}
