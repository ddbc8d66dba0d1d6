/** A fair queue: so much work at once, one piece of each caller; whoever has taken least of the last minute is next. A caller who sends a lot delays nobody else. */
import { Failure } from '../failure.ts'
import { recentUse } from './recent-use.ts'

export interface FairQueue {
  /**
   * Runs the work when it is next. Throws, without running it: `too_many` when too much work of this caller waits already, `busy` when
   * too much of all callers together does.
   */
  run: <T>(whose: string, work: () => Promise<T>) => Promise<T>
}

export interface FairQueueOptions {
  /** Of one caller. */
  maxWaiting: number
  /** Of all callers together: each may be one of thousands. */
  maxWaitingInAll: number
  /** Pieces of work at once. */
  slots?: number
  /** In milliseconds. */
  now?: () => number
}

export function createFairQueue({ maxWaiting, maxWaitingInAll, slots = 1, now = () => performance.now() }: FairQueueOptions): FairQueue {
  /** By caller. The first entry has waited longest. */
  const waiting = new Map<string, Array<() => void>>()
  let waitingInAll = 0
  const running = new Set<string>()
  const taken_ms = recentUse(now)

  /** The caller who took least, of several the one whose work was given first. */
  function next(): void {
    let chosen: string | null = null
    let least_ms = Number.POSITIVE_INFINITY
    for (const whose of waiting.keys()) {
      if (running.has(whose) || taken_ms.of(whose) >= least_ms) continue
      chosen = whose
      least_ms = taken_ms.of(whose)
    }
    if (chosen === null) return
    waitingInAll -= 1
    const [begin, ...later] = waiting.get(chosen) ?? []
    waiting.delete(chosen)
    if (later.length > 0) waiting.set(chosen, later)
    running.add(chosen)
    begin?.()
  }

  return {
    async run(whose, work) {
      if (running.size >= slots || running.has(whose)) {
        const mine = waiting.get(whose) ?? []
        if (mine.length >= maxWaiting) throw new Failure('too_many', 'You have sent too much at once. Try again in a minute.')
        if (waitingInAll >= maxWaitingInAll) throw new Failure('busy', 'Too much is waiting on this server. Try again in a few seconds.')
        waitingInAll += 1
        await new Promise<void>((resolve) => waiting.set(whose, [...mine, resolve]))
      } else running.add(whose)
      const began = now()
      try {
        return await work()
      } finally {
        running.delete(whose)
        taken_ms.add(whose, now() - began)
        next()
      }
    },
  }
}
