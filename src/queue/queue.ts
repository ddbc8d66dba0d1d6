/** Background work kept in the database: enqueued in the transaction it belongs to, run at least once, retried, never lost. */
import { type Kysely, sql } from 'kysely'
import type { App } from '../app.ts'
import { type Db, type Engine, engineOf } from '../db/database.ts'
import type { Job as JobRow, Tables } from '../db/tables.ts'

export interface Job<P> {
  name: string
  /** Tries before the job is put aside as dead, where an administrator can see it and try again. */
  attempts: number
  /** Runs by itself again after this many milliseconds. */
  every_ms: number | null
  /** Runs as soon as a worker starts, too. */
  at_start: boolean
  /** Must bear being run twice. */
  handle: (app: App, payload: P) => Promise<void>
}

interface JobSpec<P> {
  attempts?: number
  every_ms?: number
  at_start?: boolean
  handle: (app: App, payload: P) => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every kind; each job is only given its own
export type AnyJob = Job<any>

/** Declares a kind of background work: `job('projects.measure', { handle })`. */
export function job<P>(name: string, spec: JobSpec<P>): Job<P> {
  return { name, attempts: spec.attempts ?? 5, every_ms: spec.every_ms ?? null, at_start: spec.at_start ?? false, handle: spec.handle }
}

export interface EnqueueOptions {
  /** When one of this key waits already, that one does. */
  unique_key?: string
  delay_ms?: number
}

/** Adds work to the queue. With a transaction as `db` it is there when, and only when, the transaction is. */
export async function enqueue<P>(db: Db, { name }: Job<P>, payload: P, options: EnqueueOptions = {}): Promise<void> {
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
      unique_key: options.unique_key ?? null,
      created_at: new Date(now).toISOString(),
    })
    .onConflict((conflict) => conflict.column('unique_key').doNothing())
    .execute()
}

/** How long a claimed job belongs to its worker before another may take it. */
const lease_ms = 5 * 60_000

/** Takes the job of these names that is longest due. Two workers never get the same one. */
export async function claim(db: Kysely<Tables>, engine: Engine, now: Date, names: string[]): Promise<JobRow | null> {
  if (names.length === 0) return null
  const due = db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'ready')
    .where('run_at', '<=', now.toISOString())
    .where('name', 'in', names)
    .orderBy('run_at')
    .orderBy('id')
    .limit(1)
  const claimed = await db
    .updateTable('jobs')
    // Its key is free again: what is enqueued from now on may not have been seen by this run.
    .set({ run_at: new Date(now.getTime() + lease_ms).toISOString(), attempts: sql`attempts + 1`, unique_key: null })
    .where('id', '=', engine === 'postgres' ? due.forUpdate().skipLocked() : due)
    .returningAll()
    .executeTakeFirst()
  return claimed ?? null
}

export interface Worker {
  /** Looks for work now rather than at the next tick. */
  wake: () => void
  /** Runs what is due until nothing is; for tests. */
  drain: () => Promise<void>
  /** Stops claiming, and waits for the job under way. */
  stop: () => Promise<void>
}

const tick_ms = 1_000

/**
 * Runs these jobs one after the other, in this process. Several processes may do so on one database; each takes only what
 * it knows, so that jobs of a newer version wait for a process of that version.
 */
export function startWorker(app: App, jobs: AnyJob[]): Worker {
  const known = new Map(jobs.map((job) => [job.name, job]))
  const engine = engineOf(app.config.database_url ?? '')
  let running: Promise<void> | null = null
  let stopped = false
  let scheduled = false

  async function workOff(): Promise<void> {
    if (!scheduled) await scheduleAll(app, jobs)
    scheduled = true
    while (!stopped) {
      const row = await claim(app.db, engine, new Date(), [...known.keys()])
      if (!row) return
      await runJob(app, known.get(row.name) as AnyJob, row)
    }
  }
  function drain(): Promise<void> {
    running ??= workOff()
      .catch((error) => app.log.error({ err: error }, 'the queue could not be read'))
      .finally(() => {
        running = null
      })
    return running
  }
  const timer = setInterval(drain, tick_ms)
  timer.unref()
  void drain()

  return {
    wake: () => void drain(),
    async drain() {
      await drain()
      await drain()
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

async function runJob(app: App, job: AnyJob, row: JobRow): Promise<void> {
  try {
    if (row.attempts > job.attempts) throw new Error('its worker ended in the middle of it, each time')
    await job.handle(app, JSON.parse(row.payload))
    await app.db.deleteFrom('jobs').where('id', '=', row.id).execute()
  } catch (error) {
    app.log.error({ err: error, job: row.name, attempt: row.attempts }, 'a job failed')
    const dead = row.attempts >= job.attempts
    await putBack(app, row, error, dead)
    if (!dead) return
  }
  if (job.every_ms !== null) await schedule(app, job)
}

/** Tried again after 15 s, 30 s, a minute …; dead after the last attempt. */
async function putBack(app: App, row: JobRow, error: unknown, dead: boolean): Promise<void> {
  const delay_ms = Math.min(15_000 * 2 ** (row.attempts - 1), 6 * 3_600_000)
  await app.db
    .updateTable('jobs')
    .set({
      last_error: String(error).slice(0, 2_000),
      run_at: new Date(Date.now() + delay_ms).toISOString(),
      ...(dead && { state: 'dead' as const }),
    })
    .where('id', '=', row.id)
    .execute()
}

async function scheduleAll(app: App, jobs: AnyJob[]): Promise<void> {
  for (const job of jobs) {
    if (job.every_ms !== null) await schedule(app, job)
    if (job.at_start) await enqueue(app.db, job, {}, { unique_key: `start ${job.name}` })
  }
}

async function schedule(app: App, job: AnyJob): Promise<void> {
  await enqueue(app.db, job, {}, { unique_key: `every ${job.name}`, delay_ms: job.every_ms ?? 0 })
}
