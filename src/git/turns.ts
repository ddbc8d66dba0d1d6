/** Work that would be too much all at once: so much of it at a time, the rest in its order. */
import { Failure } from '../failure.ts'

export interface Turns {
  /** Does the work when its turn comes. Throws `timed_out`, and never does it, when too many wait already. */
  take: <T>(work: () => Promise<T>) => Promise<T>
}

export function turns({ at_once, most_waiting }: { at_once: number; most_waiting: number }): Turns {
  const waiting: Array<() => void> = []
  let under_way = 0

  return {
    async take(work) {
      if (under_way >= at_once) {
        if (waiting.length >= most_waiting) throw new Failure('timed_out', '503 Too many costly questions at once; ask again later')
        // Whoever ends hands his turn over: nobody can take it in between.
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else under_way += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else under_way -= 1
      }
    },
  }
}
