/** Claims a job by a lease, runs it, and stores its outcome: each job runs at least once, is retried after failures, and is never lost. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { App } from '../app.ts'
import { isUniqueViolation } from '../db/database.ts'
import { capabilitiesOf } from '../db/engine/capabilities.ts'
import type { Job as JobRow, Tables } from '../db/tables.ts'
import { thisProcess } from '../program/process-identity.ts'
import { type AnyJob, enqueue } from './queue.ts'
import { persistently, retryDelay_ms } from './retries.ts'

/** How long a claimed job belongs to its worker before another may claim it. */
const lease_ms = 5 * 60_000

/**
 * Claims the job of these names that has been due the longest, except if its user has one of them running, or an earlier job with its
 * serial key is not finished. No two workers claim the same job, or two jobs with one serial key.
 */
export async function claim(db: Kysely<Tables>, now: Date, names: string[]): Promise<JobRow | null> {
  if (names.length === 0) return null
  const due = db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'ready')
    .where('run_at', '<=', now.toISOString())
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('asked_by', 'is', null), eb.not(eb.exists(runningOfUser(eb, now, names)))]))
    .where((eb) => eb.or([eb('serial_key', 'is', null), eb.not(eb.exists(earlierOfKey(eb)))]))
    .orderBy('run_at')
    .orderBy('id')
    .limit(1)
  try {
    const claimed = await db
      .updateTable('jobs')
      // Clears its unique key: this run may not see what is enqueued from now on.
      .set({ run_at: new Date(now.getTime() + lease_ms).toISOString(), attempts: sql`attempts + 1`, unique_key: null, owner: thisProcess })
      .where('id', '=', capabilitiesOf(db).locksRows ? due.forUpdate().skipLocked() : due)
      .returningAll()
      .executeTakeFirst()
    return claimed ?? null
  } catch (error) {
    // Another process has just claimed one with the same serial key, which is visible now.
    if (isUniqueViolation(error, 'serial_key')) return claim(db, now, names)
    throw error
  }
}

type OfJob = ExpressionBuilder<Tables, 'jobs'>

/** A job whose lease has expired was lost by its worker, and doesn't block its user. */
const runningOfUser = (eb: OfJob, now: Date, names: string[]) =>
  eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.asked_by', '=', 'jobs.asked_by')
    .whereRef('other.id', '<>', 'jobs.id')
    .where('other.owner', 'is not', null)
    .where('other.run_at', '>', now.toISOString())
    .where('other.name', 'in', names)

/** A claimed job goes first even after its lease has expired: only one job of a key can have an owner. */
const earlierOfKey = (eb: OfJob) =>
  eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.serial_key', '=', 'jobs.serial_key')
    .whereRef('other.id', '<>', 'jobs.id')
    .where('other.state', '=', 'ready')
    .where((of) =>
      of.or([of('other.owner', 'is not', null), of.and([of('jobs.owner', 'is', null), of('other.id', '<', of.ref('jobs.id'))])]),
    )

/** Often enough that no lease expires while its job runs. */
const renewal_ms = lease_ms / 5

type Outcome = { state: 'done' } | { state: 'stopped' } | { state: 'failed'; error: unknown }

/** Runs the job, stores its outcome and returns it. */
export async function runJob(app: App, job: AnyJob, row: JobRow, stopping: AbortSignal): Promise<Outcome['state']> {
  const renewal = setInterval(() => void renew(app, row), renewal_ms)
  try {
    const outcome = await attempt(app, job, row, stopping)
    await persistently(app, () => settle(app, job, row, outcome), { stopping, max_ms: lease_ms, job: row.name })
    app.metrics.jobsRun.inc({ job: row.name, outcome: outcome.state })
    return outcome.state
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
 * A job that was interrupted because its process stopped has not failed: the next process runs it at once. A job that another process has
 * claimed since, because its lease expired, is left alone.
 */
async function putOff(app: App, row: JobRow): Promise<void> {
  await app.db
    .updateTable('jobs')
    .set({ run_at: new Date().toISOString(), attempts: row.attempts - 1, owner: null })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .execute()
}

/** Retries after 15 s, 30 s, a minute and so on; dead after the last attempt. Also leaves alone what another process has claimed. */
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

/** Enqueues the next run of a repeating job. */
export async function schedule(app: App, job: AnyJob): Promise<void> {
  await enqueue(app.db, job, {}, { unique_key: `every ${job.name}`, delay_ms: job.every_ms ?? 0 })
}
