/** The worker of the job queue: looks for due jobs every second and as soon as one is committed, and runs them in its slots. */
import { AsyncResource } from 'node:async_hooks'
import type { App } from '../app.ts'
import { inBackground } from '../background.ts'
import type { Job as JobRow } from '../db/tables.ts'
import { openBookkeeper, removeGoneWorkers } from './figures.ts'
import { releaseOrphans } from './orphans.ts'
import { type AnyJob, enqueue, type Lane, onEnqueued } from './queue.ts'
import { claim, runJob, schedule } from './run-job.ts'

/** Slots of each lane, each of which runs one job at a time. A user occupies one slot per lane, however many jobs they enqueue. */
const lanes: Readonly<Record<Lane, number>> = { quick: 1, slow: 1, pipelines: 3, webhooks: 1, mirrors: 4, remote: 4 }

export const slots: readonly Lane[] = (Object.keys(lanes) as Lane[]).flatMap((lane) => Array<Lane>(lanes[lane]).fill(lane))

export interface Worker {
  /** Runs jobs until none is due; for tests. */
  drain: () => Promise<void>
  /** Stops claiming, and waits for the running jobs. */
  stop: () => Promise<void>
}

const tick_ms = 1_000
/** Jobs committed within this time of each other are looked for together. */
const soon_ms = 5
/** How often jobs of dead processes are looked for after the start. */
const release_ms = 60_000

/**
 * Runs these jobs in this process, one at a time per slot. Several processes may do so on one database; each claims only jobs it knows, so
 * that jobs of a newer version wait for a process of that version.
 * @param from.looksSoon whether jobs that processes of this server enqueue are looked for before the next tick
 * @param from.isTicking false in tests: jobs run only in `drain`, never between two steps of a slow test
 */
export function startWorker(app: App, jobs: AnyJob[], { looksSoon = false, isTicking = true } = {}): Worker {
  const running = new Map<number, Promise<number>>()
  const stopping = new AbortController()
  const bookkeeper = openBookkeeper(app)
  let scheduled: Promise<void> | null = null
  const logReadability = readabilityLog(app)
  let lastTaken: Promise<unknown> = Promise.resolve()

  /** One claim at a time, since two concurrent ones could both serve the same user. */
  function take(names: string[]): Promise<JobRow | null> {
    const taken = lastTaken.then(() => claim(app.db, new Date(), names))
    lastTaken = taken.catch(() => {})
    return taken
  }

  async function release(): Promise<void> {
    const released = await releaseOrphans(app.db)
    await removeGoneWorkers(app.db)
    if (released.length > 0) app.log.warn({ jobs: released }, 'job queue: jobs of dead processes released')
  }

  /** Returns the number of jobs it ran. */
  async function runDue(lane: Lane): Promise<number> {
    const known = new Map(jobs.filter((job) => job.lane === lane).map((job) => [job.name, job]))
    scheduled ??= release()
      .then(() => scheduleAll(app, jobs))
      .then(() => bookkeeper.open())
    await scheduled.catch((error) => {
      scheduled = null
      throw error
    })
    for (let count = 0; ; count += 1) {
      const row = stopping.signal.aborted ? null : await take([...known.keys()])
      if (!row) return count
      const outcome = await runJob(app, known.get(row.name) as AnyJob, row, stopping.signal)
      if (outcome !== 'stopped') await bookkeeper.count(outcome)
    }
  }
  function drainSlot(lane: Lane, slot: number): Promise<number> {
    const drained = running.get(slot) ?? logReadability(runDue(lane)).finally(() => onEnd(lane, slot))
    running.set(slot, drained)
    return drained
  }
  /** Slots that may have missed a job that was committed while they looked. */
  const again = new Set<number>()
  function onEnd(lane: Lane, slot: number): void {
    running.delete(slot)
    if (again.delete(slot) && !stopping.signal.aborted) void drainSlot(lane, slot)
  }
  const drain = () => Promise.all(slots.map(drainSlot))
  const timers = isTicking
    ? [
        setInterval(drain, tick_ms),
        setInterval(() => inBackground(app, release(), 'job queue: could not release the jobs of dead processes'), release_ms),
      ]
    : []
  for (const timer of timers) timer.unref()
  const soon = new Map<Lane, NodeJS.Timeout>()
  const lookSoon = (lane: Lane) => {
    if (soon.has(lane)) return
    const look = () => {
      soon.delete(lane)
      for (const [slot, of] of slots.entries()) {
        if (of !== lane) continue
        if (running.has(slot)) again.add(slot)
        else void drainSlot(lane, slot)
      }
    }
    soon.set(lane, setTimeout(look, soon_ms).unref())
  }
  // Runs in the worker's own async context: a job is not part of the request that enqueued it.
  const endListening = looksSoon ? onEnqueued(AsyncResource.bind(lookSoon)) : () => {}
  if (isTicking) void drain()

  return {
    async drain() {
      // Jobs enqueue jobs for other slots that may have looked already.
      while ((await drain()).some((count) => count > 0));
    },
    async stop() {
      stopping.abort()
      endListening()
      for (const timer of soon.values()) clearTimeout(timer)
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
      await bookkeeper.close()
    },
  }
}

/**
 * Logs once when the queue becomes unreadable and once when it is readable again, not for each slot and second. Returns 0 while it is
 * unreadable.
 */
function readabilityLog(app: App): (reading: Promise<number>) => Promise<number> {
  let wasReadable = true
  return async (reading) => {
    try {
      const count = await reading
      if (!wasReadable) app.log.info('job queue: readable again')
      wasReadable = true
      return count
    } catch (error) {
      if (wasReadable) app.log.error({ err: error }, 'job queue: not readable')
      wasReadable = false
      return 0
    }
  }
}

async function scheduleAll(app: App, jobs: AnyJob[]): Promise<void> {
  for (const job of jobs) {
    if (job.every_ms !== null) await schedule(app, job)
    if (job.at_start) await enqueue(app.db, job, {}, { unique_key: `start ${job.name}` })
  }
}
