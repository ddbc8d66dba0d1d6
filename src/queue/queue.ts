/** The job queue, a table: jobs are enqueued in a transaction, run at least once, retried, and never lost. */
import { type Kysely, sql } from 'kysely'
import type { App } from '../app.ts'
import { inBackground } from '../background.ts'
import { type Db, type Engine, engineOf } from '../db/database.ts'
import type { Job as JobRow, Tables } from '../db/tables.ts'
import { thisProcess } from '../process-identity.ts'
import { releaseOrphans } from './orphans.ts'
import { persistently, retryDelay_ms } from './retries.ts'

export interface Job<P> {
  name: string
  /** Attempts before the job is dead: its row stays, with the error, for an administrator. */
  attempts: number
  /** Runs by itself again after this many milliseconds. */
  every_ms: number | null
  /** Runs as soon as a worker starts, too. */
  at_start: boolean
  /**
   * Long work has a lane of its own, so that short work never waits behind it; so has work that waits for other machines, which
   * may take any time.
   */
  lane: Lane
  /** Must be idempotent. `stopping` aborts when the process stops: long work should end then. */
  handle: (app: App, payload: P, stopping?: AbortSignal) => Promise<void>
}

type Lane = 'quick' | 'slow' | 'remote'

/**
 * Each slot runs one job at a time. A slow remote machine blocks one of the remote slots, and a user is in one of them at a
 * time, however much they ask for.
 */
const places: Lane[] = ['quick', 'slow', 'remote', 'remote', 'remote', 'remote']

type JobSpec<P> = Pick<Job<P>, 'handle'> & Partial<Omit<Job<P>, 'name' | 'handle'>>

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every kind; each job is only given its own
export type AnyJob = Job<any>

/** Declares a kind of background work: `job('projects.measure', { handle })`. */
export function job<P>(name: string, spec: JobSpec<P>): Job<P> {
  return { name, attempts: 5, every_ms: null, at_start: false, lane: 'quick', ...spec }
}

export interface EnqueueOptions {
  /** A job of this key that waits already is enough. */
  unique_key?: string
  delay_ms?: number
  /** Id of the user who requested it. */
  asked_by?: number
}

/** Enqueues a job. With a transaction as `db` it is there if, and only if, the transaction commits. */
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
      asked_by: options.asked_by ?? null,
      owner: null,
      created_at: new Date(now).toISOString(),
    })
    // Changes nothing in the waiting job, but locks it: claimed before this transaction commits, it would not see what the
    // transaction wrote.
    .onConflict((conflict) => conflict.column('unique_key').doUpdateSet({ unique_key: sql`excluded.unique_key` }))
    .execute()
}

/** Removes the dead jobs of a kind, whose payloads must not be kept. */
export async function forgetDead(db: Db, jobs: AnyJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name)
  await db.deleteFrom('jobs').where('name', 'in', names).where('state', '=', 'dead').execute()
}

/** How long a claimed job belongs to its worker before another may claim it. */
const lease_ms = 5 * 60_000

/** Claims the job of these names that is longest due, except those of the users in `served`. No two workers claim the same one. */
export async function claim(db: Kysely<Tables>, engine: Engine, now: Date, names: string[], served: number[] = []): Promise<JobRow | null> {
  if (names.length === 0) return null
  const due = db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'ready')
    .where('run_at', '<=', now.toISOString())
    .where('name', 'in', names)
    .$if(served.length > 0, (query) => query.where((eb) => eb.or([eb('asked_by', 'is', null), eb('asked_by', 'not in', served)])))
    .orderBy('run_at')
    .orderBy('id')
    .limit(1)
  const claimed = await db
    .updateTable('jobs')
    // Frees its key: this run may not see what is enqueued from now on.
    .set({ run_at: new Date(now.getTime() + lease_ms).toISOString(), attempts: sql`attempts + 1`, unique_key: null, owner: thisProcess })
    .where('id', '=', engine === 'postgres' ? due.forUpdate().skipLocked() : due)
    .returningAll()
    .executeTakeFirst()
  return claimed ?? null
}

export interface Worker {
  /** Looks for jobs now rather than at the next tick. */
  wake: () => void
  /** Runs all due jobs; for tests. */
  drain: () => Promise<void>
  /** Stops claiming, and waits for the jobs under way. */
  stop: () => Promise<void>
}

const tick_ms = 1_000
/** How often jobs of dead processes are looked for, after the start. */
const release_ms = 60_000

/**
 * Runs these jobs in this process, one at a time in each slot. Several processes may do so on one database; each claims only jobs
 * it knows, so that jobs of a newer version wait for a process of that version.
 */
export function startWorker(app: App, jobs: AnyJob[]): Worker {
  const engine = engineOf(app.config.database_url ?? '')
  const running = new Map<number, Promise<void>>()
  const stopping = new AbortController()
  let scheduled: Promise<void> | null = null
  const served = new Set<number>()
  const reportReadable = readabilityLog(app)
  let lastTaken: Promise<unknown> = Promise.resolve()

  /** One claim at a time: two concurrent ones could both serve the same user. */
  function take(names: string[]): Promise<JobRow | null> {
    const taken = lastTaken.then(async () => {
      const row = await claim(app.db, engine, new Date(), names, [...served])
      if (row && row.asked_by !== null) served.add(row.asked_by)
      return row
    })
    lastTaken = taken.catch(() => {})
    return taken
  }

  async function release(): Promise<void> {
    const released = await releaseOrphans(app.db)
    if (released.length > 0) app.log.warn({ jobs: released }, 'job queue: jobs of dead processes released')
  }

  async function workOff(lane: Lane): Promise<void> {
    const known = new Map(jobs.filter((job) => job.lane === lane).map((job) => [job.name, job]))
    scheduled ??= release().then(() => scheduleAll(app, jobs))
    await scheduled.catch((error) => {
      scheduled = null
      throw error
    })
    while (!stopping.signal.aborted) {
      const row = await take([...known.keys()])
      if (!row) return
      await runJob(app, known.get(row.name) as AnyJob, row, stopping.signal).finally(
        () => row.asked_by !== null && served.delete(row.asked_by),
      )
    }
  }
  function drainPlace(lane: Lane, place: number): Promise<void> {
    const drained =
      running.get(place) ??
      workOff(lane)
        .then(
          () => reportReadable(true),
          (error: unknown) => reportReadable(false, error),
        )
        .finally(() => running.delete(place))
    running.set(place, drained)
    return drained
  }
  const drain = () => Promise.all(places.map(drainPlace))
  const timers = [
    setInterval(drain, tick_ms),
    setInterval(() => inBackground(app, release(), 'job queue: could not release the jobs of dead processes'), release_ms),
  ]
  for (const timer of timers) timer.unref()
  void drain()

  return {
    wake: () => void drain(),
    async drain() {
      await drain()
      await drain()
    },
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** Logs once when the queue can't be read and once when it can again, not for each slot and second. */
function readabilityLog(app: App): (isReadable: boolean, error?: unknown) => void {
  let wasReadable = true
  return (isReadable, error) => {
    if (isReadable !== wasReadable) {
      if (isReadable) app.log.info('job queue: readable again')
      else app.log.error({ err: error }, 'job queue: not readable')
    }
    wasReadable = isReadable
  }
}

/** Often enough that no lease expires during its job. */
const renewal_ms = lease_ms / 5

type Outcome = { state: 'done' } | { state: 'stopped' } | { state: 'failed'; error: unknown }

async function runJob(app: App, job: AnyJob, row: JobRow, stopping: AbortSignal): Promise<void> {
  const renewal = setInterval(() => void renew(app, row), renewal_ms)
  try {
    const outcome = await attempt(app, job, row, stopping)
    await persistently(app, () => settle(app, job, row, outcome), { stopping, max_ms: lease_ms, job: row.name })
  } finally {
    clearInterval(renewal)
  }
}

async function attempt(app: App, job: AnyJob, row: JobRow, stopping: AbortSignal): Promise<Outcome> {
  try {
    if (row.attempts > job.attempts) throw new Error('its worker ended in the middle of it, each time')
    await job.handle(app, JSON.parse(row.payload), stopping)
    return { state: 'done' }
  } catch (error) {
    if (stopping.aborted && row.attempts <= job.attempts) return { state: 'stopped' }
    app.log.error({ err: error, job: row.name, attempt: row.attempts }, 'job queue: job failed')
    return { state: 'failed', error }
  }
}

/** Stores the outcome of a job. Idempotent. */
async function settle(app: App, job: AnyJob, row: JobRow, outcome: Outcome): Promise<void> {
  if (outcome.state === 'stopped') return putOff(app, row)
  if (outcome.state === 'done') await app.db.deleteFrom('jobs').where('id', '=', row.id).execute()
  else {
    const dead = row.attempts >= job.attempts
    await putBack(app, row, outcome.error, dead)
    if (!dead) return
  }
  if (job.every_ms !== null) await schedule(app, job)
}

async function renew(app: App, row: JobRow): Promise<void> {
  const run_at = new Date(Date.now() + lease_ms).toISOString()
  await app.db
    .updateTable('jobs')
    .set({ run_at })
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('attempts', '=', row.attempts)
    .execute()
    .catch((error) => app.log.error({ err: error, job: row.name }, 'job queue: could not renew the lease of a job'))
}

/**
 * A job that was interrupted by the end of its process has not failed: the next process runs it at once. A job that another
 * process has claimed since, because its lease expired, is left alone.
 */
async function putOff(app: App, row: JobRow): Promise<void> {
  await app.db
    .updateTable('jobs')
    .set({ run_at: new Date().toISOString(), attempts: row.attempts - 1, owner: null })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .execute()
}

/** Retried after 15 s, 30 s, a minute …; dead after the last attempt. As above, unless another process has claimed it. */
async function putBack(app: App, row: JobRow, error: unknown, dead: boolean): Promise<void> {
  await app.db
    .updateTable('jobs')
    .set({
      last_error: String(error).slice(0, 2_000),
      run_at: new Date(Date.now() + retryDelay_ms(row.attempts)).toISOString(),
      owner: null,
      ...(dead && { state: 'dead' as const }),
    })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
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
