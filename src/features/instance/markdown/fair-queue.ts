/** A fair queue: one piece of work at a time, round-robin over users, so that a user who sends a lot delays nobody else. */
import { Failure } from '../../../failure.ts'

export interface FairQueue {
  /** Runs the work when it is next. Throws `too_many`, without running it, when too much work of this user waits already. */
  run: <T>(whose: string, work: () => Promise<T>) => Promise<T>
}

export function createFairQueue(maxWaiting: number): FairQueue {
  /** By user. The first entry has waited longest. */
  const waiting = new Map<string, Array<() => void>>()
  let busy = false

  function next(): void {
    const [first] = waiting
    if (!first) {
      busy = false
      return
    }
    const [whose, [begin, ...later]] = first
    waiting.delete(whose)
    if (later.length > 0) waiting.set(whose, later)
    begin?.()
  }

  return {
    async run(whose, work) {
      if (busy) {
        const mine = waiting.get(whose) ?? []
        if (mine.length >= maxWaiting) throw new Failure('too_many', 'You have sent too much at once. Try again in a minute.')
        await new Promise<void>((resolve) => waiting.set(whose, [...mine, resolve]))
      }
      busy = true
      try {
        return await work()
      } finally {
        next()
      }
    },
  }
}
