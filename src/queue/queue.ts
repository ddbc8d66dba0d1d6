/** Background work kept in the database: enqueued in the transaction it belongs to, run at least once, retried, never lost. */
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
  /** Tries before the job is put aside as dead, where an administrator can see it and try again. */
  attempts: number
  /** Runs by itself again after this many milliseconds. */
  every_ms: number | null
  /** Of jobs with the same key one waits at a time: it covers what is enqueued until it starts. */
  key: ((payload: P) => string) | null
  /** Runs as soon as a worker starts, too. */
  at_start: boolean
  /**
   * Work of minutes or hours has a lane of its own, so that what takes milliseconds never waits behind it; so has what waits
   * for machines of others, which may keep it waiting as long as they like.
   */
  lane: Lane
  /** Must bear being run twice. `stopping` says that the process wants to end: work that takes long should, too. */
  handle: (app: App, payload: P, stopping?: AbortSignal) => Promise<void>
}

type Lane = 'quick' | 'slow' | 'remote'

/**
 * One job at a time for each. A machine elsewhere that keeps one waiting leaves the others to everybody else, and so does whoever
 * asks for much at once: he is in one of them at a time.
 */
const places: Lane[] = ['quick', 'slow', 'remote', 'remote', 'remote', 'remote']

type JobSpec<P> = Pick<Job<P>, 'handle'> & Partial<Omit<Job<P>, 'name' | 'handle'>>

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every kind; each job is only given its own
export type AnyJob = Job<any>

/** Declares a kind of background work: `job('projects.measure', { handle })`. */
export function job<P>(name: string, spec: JobSpec<P>): Job<P> {
  return { name, attempts: 5, every_ms: null, key: null, at_start: false, lane: 'quick', ...spec }
}

export interface EnqueueOptions {
  /** When one of this key waits already, that one does. By default the key of the job. */
  unique_key?: string
  delay_ms?: number
  /** Id of the user who wants it. */
  asked_by?: number
}

/** Adds work to the queue. With a transaction as `db` it is there when, and only when, the transaction is. */
export async function enqueue<P>(db: Db, { name, key }: Job<P>, payload: P, options: EnqueueOptions = {}): Promise<void> {
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
      asked_by: options.asked_by ?? null,
      owner: null,
      created_at: new Date(now).toISOString(),
    })
    // Nothing changes in the one that waits, but it is locked: claimed before this transaction is committed, its run would not see
    // what the transaction wrote.
    .onConflict((conflict) => conflict.column('unique_key').doUpdateSet({ unique_key: sql`excluded.unique_key` }))
    .execute()
}

/** Removes those of a kind that were tried too often: what their payloads tell is nobody's business any longer. */
export async function forgetDead(db: Db, jobs: AnyJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name)
  await db.deleteFrom('jobs').where('name', 'in', names).where('state', '=', 'dead').execute()
}

/** How long a claimed job belongs to its worker before another may take it. */
const lease_ms = 5 * 60_000

/** Takes the job of these names that is longest due, and that none of `served` has asked for. Two workers never get the same one. */
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
    // Its key is free again: what is enqueued from now on may not have been seen by this run.
    .set({ run_at: new Date(now.getTime() + lease_ms).toISOString(), attempts: sql`attempts + 1`, unique_key: null, owner: thisProcess })
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
/** How often jobs of dead processes are looked for, after the start. */
const release_ms = 60_000

/**
 * Runs these jobs, in each place one after the other, in this process. Several processes may do so on one database; each
 * takes only what it knows, so that jobs of a newer version wait for a process of that version.
 */
export function startWorker(app: App, jobs: AnyJob[]): Worker {
  const engine = engineOf(app.config.database_url ?? '')
  const running = new Map<number, Promise<void>>()
  const stopping = new AbortController()
  let scheduled: Promise<void> | null = null
  const served = new Set<number>()
  const reportReadable = readabilityLog(app)
  let lastTaken: Promise<unknown> = Promise.resolve()

  /** One after the other: two places that look at once would both find the same user not served. */
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
    setInterval(() => inBackground(app, release(), 'job queue: orphans not released'), release_ms),
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

/** One line when the queue can't be read any more and one when it can again, not one for each place and second. */
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

/** Often enough that a lease never ends while its work goes on. */
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
    app.log.error({ err: error, job: row.name, attempt: row.attempts }, 'a job failed')
    return { state: 'failed', error }
  }
}

/** Writes down what came of a job. May be tried again. */
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
    .catch((error) => app.log.error({ err: error, job: row.name }, 'a lease could not be renewed'))
}

/**
 * What was ended because the process ends has not failed: the next process goes on with it at once. What another has taken
 * since, because this one was too slow to renew its lease, is that one's.
 */
async function putOff(app: App, row: JobRow): Promise<void> {
  await app.db
    .updateTable('jobs')
    .set({ run_at: new Date().toISOString(), attempts: row.attempts - 1, owner: null })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .execute()
}

/** Tried again after 15 s, 30 s, a minute …; dead after the last attempt. As above, unless another has taken it. */
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
