/** A fair queue: so much work at once, one piece of each caller; whoever has taken least of the last minute is next. A caller who sends a lot delays nobody else. */
import { Failure } from '../failure.ts'
import { recentUse } from './recent-use.ts'

export interface FairQueue {
  /**
   * Runs the work when it is next. Throws, without running it: `too_many` when too much work of this caller waits already, `busy` when
   * too much of all callers together does. Where all is full, a caller who has less waiting takes the last place of the one who has most.
   */
  run: <T>(whose: string, work: (waive: Waive) => Promise<T>) => Promise<T>
}

/** So many milliseconds of the work are nobody's: what others left behind had to be put in order first. */
export type Waive = (ms: number) => void

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

/** Who has taken no more counts as who has taken nothing: else a comment would wait for everybody who begins with a slow page. */
const little_ms = 500

interface Waiting {
  resolve: () => void
  reject: (failure: Failure) => void
}

const tooMuchInAll = () => new Failure('busy', 'Too much is waiting on this server. Try again in a few seconds.')

export function createFairQueue({ maxWaiting, maxWaitingInAll, slots = 1, now = () => performance.now() }: FairQueueOptions): FairQueue {
  /** By caller. The first entry has waited longest. */
  const waiting = new Map<string, Waiting[]>()
  let waitingInAll = 0
  const running = new Set<string>()
  const taken_ms = recentUse(now)

  /** The caller who took least, of several the one who wants least, of these the one whose work was given first. */
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

  /** Refuses the last work of whoever has most waiting, where that is more than so much. */
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
