/** Work of which there is one at a time, for many: whoever sends a lot of it waits behind himself, not the others behind him. */
import { Failure } from '../../../failure.ts'

export interface FairTurns {
  /** Does the work when it is this one's turn. Throws `too_many`, and never does it, when too much of his waits already. */
  take: <T>(whose: string, work: () => Promise<T>) => Promise<T>
}

export function fairTurns(most_waiting: number): FairTurns {
  /** By whose they are. Who is first here has waited longest. */
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
    async take(whose, work) {
      if (busy) {
        const mine = waiting.get(whose) ?? []
        if (mine.length >= most_waiting) throw new Failure('too_many', 'You have sent too much at once. Try again in a minute.')
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
