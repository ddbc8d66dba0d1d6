/**
 * The queue of pending jobs in memory, for all runners that ask this process, so that an idle runner needs no statement of its own. One
 * statement detects that a job was added; it runs at most every few milliseconds, and only while a runner waits.
 */
import type { App } from '../../../app.ts'
import { reportFailure } from '../../../background.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { type Pending, readPending } from './pending.service.ts'
import { newestOfQueue, type PendingGroup } from './queue.queries.ts'

/** How long it takes at most until waiting runners notice a job that another process has queued. */
const look_ms = 40
/** Permissions of projects and runners may change without a new job. */
const kept_ms = 2_000
const emptyQueue = '0 '

export type Matching = Pick<CiRunner, 'id' | 'kind' | 'namespace_id' | 'access_level' | 'run_untagged' | 'tags' | 'active'>

export interface JobQueue {
  /** Changes when there may be something new for whoever has seen an earlier value. */
  version: () => Promise<string>
  /** The groups of jobs that the runner may take, oldest first. */
  matching: (runner: Matching) => Promise<PendingGroup[]>
  /** Drops a group that turned out to have no jobs left. */
  forget: (group: PendingGroup) => void
  /** Resolves when there may be a job for the runner, after the time, when the client leaves or when the server stops. */
  wait: (runner: Matching, time_ms: number, signal: AbortSignal) => Promise<void>
  /** Jobs that requests of this process are taking; others skip them. */
  taking: Set<number>
}

interface Waiting {
  runner: Matching
  wake: () => void
}

/** Called with each change of the queue while a runner waits for a job. */
const listeners = new Set<() => void>()

/** Has waiting runners look for jobs at once: this process has queued some. */
export function announceJobs(): void {
  for (const listener of listeners) listener()
}

function openQueue(app: App): JobQueue {
  const waiting = new Set<Waiting>()
  let pending: Pending = { groups: [], matching: () => [] }
  let newest = ''
  let looked_at = 0
  let loaded_at = 0
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function read(at: number): Promise<void> {
    const found = await newestOfQueue(app.db)
    const isOld = found !== emptyQueue && at - loaded_at > kept_ms
    if (found !== newest || isOld) {
      pending = found === emptyQueue ? { groups: [], matching: () => [] } : await readPending(app.db)
      newest = found
      loaded_at = at
    }
    looked_at = Date.now()
  }

  function look(): Promise<void> {
    if (looking === null && Date.now() - looked_at >= app.limits.sharedLook_ms)
      looking = read(Date.now()).finally(() => {
        looking = null
      })
    return looking ?? Promise.resolve()
  }

  /** Wakes only as many as there are jobs: the others would find nothing. */
  function wakeMatching(): void {
    const left = new Map(pending.groups.map((group) => [group, group.jobs]))
    if (left.size === 0) return
    for (const one of waiting) {
      const group = pending.matching(one.runner).find((found) => (left.get(found) ?? 0) > 0)
      if (!group) continue
      left.set(group, (left.get(group) ?? 0) - 1)
      one.wake()
    }
  }

  /** If the database is unavailable now, the next turn asks again. */
  function tick(): void {
    look()
      .then(wakeMatching)
      .catch((error: unknown) => reportFailure(app, error, 'runners: could not look for pending jobs'))
  }

  /** A look that is under way may have missed the jobs. */
  function lookAnew(): void {
    const before = looking ?? Promise.resolve()
    before
      .catch(() => {})
      .then(() => {
        looked_at = 0
        tick()
      })
  }

  function rest(): void {
    if (timer) clearInterval(timer)
    timer = null
    listeners.delete(lookAnew)
  }

  return {
    taking: new Set(),
    async version() {
      await look()
      return newest
    },
    async matching(runner) {
      await look()
      return pending.matching(runner)
    },
    forget(group) {
      pending.groups = pending.groups.filter((one) => one !== group)
    },
    wait(runner, time_ms, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(end)
          signal.removeEventListener('abort', wake)
          waiting.delete(one)
          if (waiting.size === 0) rest()
          resolve()
        }
        const one = { runner, wake }
        const end = setTimeout(wake, time_ms).unref()
        signal.addEventListener('abort', wake)
        waiting.add(one)
        timer ??= setInterval(tick, look_ms).unref()
        listeners.add(lookAnew)
      })
    },
  }
}

const queues = new WeakMap<App, JobQueue>()

/** The queue of this process. */
export function queueOf(app: App): JobQueue {
  const queue = queues.get(app) ?? openQueue(app)
  queues.set(app, queue)
  return queue
}
