/**
 * A fair queue: limits concurrent work, with one piece per caller; the caller who has used the least time in the last minute is next. A
 * caller who sends a lot delays nobody else.
 */
import { Failure } from '../failure.ts'
import { recentUse } from './recent-use.ts'

export interface FairQueue {
  /**
   * Runs the work when it is next. Throws without running it: `too_many` if too much work of this caller waits, `busy` if too much work of
   * all callers does. If the queue is full, a caller with less waiting work takes the last place of the caller with the most.
   */
  run: <T>(whose: string, work: (waive: Waive) => Promise<T>) => Promise<T>
}

/** Doesn't charge this many milliseconds of the work to its caller: time for cleaning up after others. */
export type Waive = (ms: number) => void

export interface FairQueueOptions {
  /** Maximum per caller. */
  maxWaiting: number
  /** Maximum of all callers together, of whom there may be thousands. */
  maxWaitingInAll: number
  /** Maximum of concurrent work. */
  slots?: number
  /** The clock, in milliseconds. */
  now?: () => number
}

/** Less use than this counts as none: otherwise a comment would wait for everyone who starts with a slow page. */
const little_ms = 500

interface Waiting {
  resolve: () => void
  reject: (failure: Failure) => void
}

const tooMuchInAll = () => new Failure('busy', 'Too much is waiting on this server. Try again in a few seconds.')

export function createFairQueue({ maxWaiting, maxWaitingInAll, slots = 1, now = () => performance.now() }: FairQueueOptions): FairQueue {
  /** Keyed by caller. The first entry has waited longest. */
  const waiting = new Map<string, Waiting[]>()
  let waitingInAll = 0
  const running = new Set<string>()
  const taken_ms = recentUse(now)

  /** The caller who has used the least; then the one who requests the least; then the one who asked first. */
  function next(): void {
    let chosen: string | null = null
    let least = { ms: Number.POSITIVE_INFINITY, count: 0 }
    for (const [whose, theirs] of waiting) {
      if (running.has(whose)) continue
      const ms = taken_ms.of(whose)
      const mine = { ms: ms < little_ms ? 0 : ms, count: theirs.length }
      if (mine.ms > least.ms || (mine.ms === least.ms && mine.count >= least.count)) continue
      chosen = whose
      least = mine
    }
    if (chosen === null) return
    waitingInAll -= 1
    const [begin, ...later] = waiting.get(chosen) ?? []
    waiting.delete(chosen)
    if (later.length > 0) waiting.set(chosen, later)
    running.add(chosen)
    begin?.resolve()
  }

  /** Refuses the latest work of the caller with the most waiting, if that is more than this number. */
  function makeRoom(count: number): boolean {
    const most = [...waiting].reduce<[string, Waiting[]] | null>((one, two) => (one && one[1].length >= two[1].length ? one : two), null)
    if (most === null || most[1].length <= count) return false
    const [whose, theirs] = most
    waitingInAll -= 1
    waiting.set(whose, theirs.slice(0, -1))
    theirs.at(-1)?.reject(tooMuchInAll())
    return true
  }

  return {
    async run(whose, work) {
      if (running.size >= slots || running.has(whose)) {
        const mine = waiting.get(whose) ?? []
        if (mine.length >= maxWaiting) throw new Failure('too_many', 'You have sent too much at once. Try again in a minute.')
        if (waitingInAll >= maxWaitingInAll && !makeRoom(mine.length + 1)) throw tooMuchInAll()
        waitingInAll += 1
        await new Promise<void>((resolve, reject) => waiting.set(whose, [...mine, { resolve, reject }]))
      } else running.add(whose)
      const began = now()
      let waived_ms = 0
      try {
        return await work((ms) => {
          waived_ms += ms
        })
      } finally {
        running.delete(whose)
        taken_ms.add(whose, now() - began - waived_ms)
        next()
      }
    },
  }
}
