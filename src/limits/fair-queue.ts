/** A fair queue: so much work at once, one piece of each caller; whoever has taken least of the last minute is next. A caller who sends a lot delays nobody else. */
import { Failure } from '../failure.ts'
import { recentUse } from './recent-use.ts'

export interface FairQueue {
  /** Runs the work when it is next. Throws `too_many`, without running it, when too much work of this caller waits already. */
  run: <T>(whose: string, work: () => Promise<T>) => Promise<T>
}

export interface FairQueueOptions {
  /** Of one caller. */
  maxWaiting: number
  /** Pieces of work at once. */
  slots?: number
  /** In milliseconds. */
  now?: () => number
}

export function createFairQueue({ maxWaiting, slots = 1, now = () => performance.now() }: FairQueueOptions): FairQueue {
  /** By caller. The first entry has waited longest. */
  const waiting = new Map<string, Array<() => void>>()
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
