/** Figures of the queue: which processes run it, how many jobs wait, and how many attempts there were. */
import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import type { App } from '../app.ts'
import type { Db } from '../db/database.ts'
import type { QueueWorker, Tables } from '../db/tables.ts'
import { stateOf, thisProcess } from '../program/process-identity.ts'

/** Written along with jobs that run anyway, one of which runs each minute, so an idle queue costs no extra write. */
const interval_ms = 60_000
/** A process whose liveness can't be checked from here counts as gone after this time. */
const silence_ms = 5 * 60_000

export interface Bookkeeper {
  /** Records that this process runs the queue. */
  open: () => Promise<void>
  /** Counts an attempt, and writes the counts if that is due. */
  count: (outcome: 'done' | 'failed') => Promise<void>
  /** Writes the counts, and records that this process no longer runs the queue. */
  close: () => Promise<void>
}

/**
 * Figures of the worker in this process. They must not fail a job: if they can't be written, that is logged, and they are kept for later.
 */
export function openBookkeeper({ db, log, metrics }: Pick<App, 'db' | 'log' | 'metrics'>): Bookkeeper {
  const started_at = new Date().toISOString()
  let counted = { processed: 0, failed: 0 }
  let written_ms = 0
  const attempted = (work: () => Promise<void>) =>
    work().catch((error: unknown) => log.warn({ err: error }, 'job queue: figures not written'))

  async function write(): Promise<void> {
    written_ms = Date.now()
    const delta = counted
    counted = { processed: 0, failed: 0 }
    try {
      await noteWorker(db, started_at)
      if (delta.processed > 0) await addToTotals(db, delta)
    } catch (error) {
      counted = { processed: counted.processed + delta.processed, failed: counted.failed + delta.failed }
      throw error
    }
    const { waiting, running, dead } = await jobCounts(db)
    for (const [state, value] of Object.entries({ waiting, running, dead })) metrics.jobs.set({ state }, value)
  }
  return {
    open: () => attempted(write),
    async count(outcome) {
      counted.processed += 1
      if (outcome === 'failed') counted.failed += 1
      if (Date.now() - written_ms >= interval_ms) await attempted(write)
    },
    close: () =>
      attempted(async () => {
        if (counted.processed > 0) await addToTotals(db, counted)
        counted = { processed: 0, failed: 0 }
        await db.deleteFrom('queue_workers').where('process', '=', thisProcess).execute()
      }),
  }
}

async function noteWorker(db: Kysely<Tables>, started_at: string): Promise<void> {
  const seen_at = new Date().toISOString()
  await db
    .insertInto('queue_workers')
    .values({ process: thisProcess, hostname: hostname(), pid: process.pid, started_at, seen_at })
    .onConflict((conflict) => conflict.column('process').doUpdateSet({ seen_at }))
    .execute()
}

async function addToTotals(db: Kysely<Tables>, { processed, failed }: { processed: number; failed: number }): Promise<void> {
  await db
    .insertInto('queue_totals')
    .values({ id: 1, processed, failed })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        processed: eb('queue_totals.processed', '+', processed),
        failed: eb('queue_totals.failed', '+', failed),
      })),
    )
    .execute()
}

/** Removes the entries of processes that crashed. */
export async function removeGoneWorkers(db: Kysely<Tables>): Promise<void> {
  const gone = (await db.selectFrom('queue_workers').selectAll().execute()).filter((worker) => !isAlive(worker))
  if (gone.length === 0) return
  const names = gone.map(({ process }) => process)
  await db.deleteFrom('queue_workers').where('process', 'in', names).execute()
}

function isAlive({ process, seen_at }: QueueWorker): boolean {
  const state = stateOf(process)
  return state === 'self' || state === 'alive' || (state === 'unknown' && Date.parse(seen_at) > Date.now() - silence_ms)
}

export interface QueueFigures {
  /** By job name: the number of due jobs that wait, and how long the first has waited, in seconds. */
  queues: Array<{ name: string; backlog: number; latency_s: number }>
  /** The processes that run the queue, each with its number of running jobs. */
  workers: Array<QueueWorker & { busy: number }>
  totals: { processed: number; failed: number }
  counts: JobCounts
}

interface JobCounts {
  /** Jobs without a process, due or not. */
  waiting: number
  running: number
  dead: number
}

async function jobCounts(db: Db): Promise<JobCounts> {
  const rows = await db
    .selectFrom('jobs')
    .select(['state', 'owner'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(['state', 'owner'])
    .execute()
  const sum = (of: typeof rows) => of.reduce((total, { count }) => total + Number(count), 0)
  return {
    waiting: sum(rows.filter(({ state, owner }) => state === 'ready' && owner === null)),
    running: sum(rows.filter(({ state, owner }) => state === 'ready' && owner !== null)),
    dead: sum(rows.filter(({ state }) => state === 'dead')),
  }
}

/** Four statements. Attempts of the last minute may be missing. */
export async function queueFigures(db: Db): Promise<QueueFigures> {
  const now = new Date()
  const rows = await db
    .selectFrom('jobs')
    .select(['name', 'owner', 'state'])
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('run_at').as('first_at'),
      eb.fn.sum<number>(eb.case().when('run_at', '<=', now.toISOString()).then(1).else(0).end()).as('due'),
    ])
    .where('state', '=', 'ready')
    .groupBy(['name', 'owner', 'state'])
    .orderBy('name')
    .execute()
  const waiting = rows.filter(({ owner }) => owner === null)
  const workers = (await db.selectFrom('queue_workers').selectAll().orderBy('started_at').execute()).filter(isAlive)
  const totals = await db.selectFrom('queue_totals').select(['processed', 'failed']).executeTakeFirst()
  return {
    queues: waiting.map(({ name, due, first_at }) => ({ name, backlog: Number(due), latency_s: secondsSince(first_at, now) })),
    workers: workers.map((worker) => ({ ...worker, busy: countOf(rows.filter(({ owner }) => owner === worker.process)) })),
    totals: { processed: Number(totals?.processed ?? 0), failed: Number(totals?.failed ?? 0) },
    counts: await jobCounts(db),
  }
}

function countOf(rows: Array<{ count: number }>): number {
  return rows.reduce((total, { count }) => total + Number(count), 0)
}

/** A job that is not due yet has not waited. */
function secondsSince(instant: string, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - Date.parse(instant)) / 1000))
}
