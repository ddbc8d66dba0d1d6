/** The job queue, a table: jobs are declared, and enqueued in the transaction they belong to. `worker.ts` runs them. */
import { sql } from 'kysely'
import type { App } from '../app.ts'
import type { Db } from '../db/database.ts'

export interface Job<P> {
  name: string
  /** Attempts before the job is dead: its row stays, with the error, for an administrator. */
  attempts: number
  /** Runs by itself again after this many milliseconds. */
  every_ms: number | null
  /** One job with this key waits at a time: it covers what is enqueued until it starts. */
  key: ((payload: P) => string) | null
  /**
   * Jobs with the same key run one at a time, in the order in which they were enqueued, whatever slots and processes are free. One that
   * failed holds those behind it until it is done, or dead.
   */
  serial: ((payload: P) => string) | null
  /** The user on whose behalf it runs: of each user a lane runs one job at a time. */
  asker: ((payload: P) => number | null) | null
  /** Runs as soon as a worker starts, too. */
  at_start: boolean
  /** Long work (`slow`), work that waits for other machines (`remote`) and files of CI (`pipelines`) never hold up quick jobs. */
  lane: Lane
  /** Must be idempotent. `stopping` aborts when the process stops: long work should end then. */
  handle: (app: App, payload: P, stopping?: AbortSignal) => Promise<void>
}

export type Lane = 'quick' | 'slow' | 'remote' | 'pipelines'

type JobSpec<P> = Pick<Job<P>, 'handle'> & Partial<Omit<Job<P>, 'name' | 'handle'>>

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every kind; each job is only given its own
export type AnyJob = Job<any>

/** Declares a kind of background work: `job('projects.measure', { handle })`. */
export function job<P>(name: string, spec: JobSpec<P>): Job<P> {
  return { name, attempts: 5, every_ms: null, key: null, serial: null, asker: null, at_start: false, lane: 'quick', ...spec }
}

export interface EnqueueOptions {
  /** A job of this key that waits already is enough. By default the key of the job. */
  unique_key?: string
  delay_ms?: number
  /** Id of the user who requested it. By default the asker of the job. */
  asked_by?: number
}

const listeners = new Set<() => void>()

/**
 * Calls `listener` for each job that this process enqueues to run at once. The transaction of the job may still be under way.
 * @returns ends it
 */
export function onEnqueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Enqueues a job. With a transaction as `db` it is there if, and only if, the transaction commits. */
export async function enqueue<P>(db: Db, { name, key, serial, asker }: Job<P>, payload: P, options: EnqueueOptions = {}): Promise<void> {
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
    // Changes nothing in the waiting job, but locks it: claimed before this transaction commits, it would not see what the
    // transaction wrote.
    .onConflict((conflict) => conflict.column('unique_key').doUpdateSet({ unique_key: sql`excluded.unique_key` }))
    .execute()
  if (!options.delay_ms) for (const listener of listeners) listener()
}

/** Payloads of the oldest jobs of a kind that wait or run, for readers who don't wait for them. */
export async function openPayloads<P>(db: Db, { name }: Job<P>, limit: number): Promise<P[]> {
  const found = db.selectFrom('jobs').select('payload').where('state', '=', 'ready').where('name', '=', name).orderBy('id').limit(limit)
  return (await found.execute()).map(({ payload }) => JSON.parse(payload) as P)
}

/** Removes the dead jobs of a kind, whose payloads must not be kept. */
export async function removeDead(db: Db, jobs: AnyJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name)
  await db.deleteFrom('jobs').where('name', 'in', names).where('state', '=', 'dead').execute()
}
