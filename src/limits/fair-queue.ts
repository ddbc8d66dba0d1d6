/** A fair queue: so much work at once, one piece of each caller; whoever has taken least of late is next. A caller who sends a lot delays nobody else. */
import { Failure } from '../failure.ts'

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

/** What a caller took is forgotten after this time without work of theirs. */
const remembered_ms = 60_000

export function createFairQueue({ maxWaiting, slots = 1, now = () => performance.now() }: FairQueueOptions): FairQueue {
  /** By caller. The first entry has waited longest. */
  const waiting = new Map<string, Array<() => void>>()
  const running = new Set<string>()
  const spent = new Map<string, { ms: number; at: number }>()

  const spentBy = (whose: string) => spent.get(whose)?.ms ?? 0

  /** The caller who took least, of several the one whose work was given first. */
  function next(): void {
    let chosen: string | null = null
    for (const whose of waiting.keys()) {
      if (!running.has(whose) && (chosen === null || spentBy(whose) < spentBy(chosen))) chosen = whose
    }
    if (chosen === null) return
    const [begin, ...later] = waiting.get(chosen) ?? []
    waiting.delete(chosen)
    if (later.length > 0) waiting.set(chosen, later)
    running.add(chosen)
    begin?.()
  }

  function note(whose: string, began: number): void {
    const at = now()
    for (const [caller, { at: last }] of spent) if (at - last > remembered_ms) spent.delete(caller)
    spent.set(whose, { ms: spentBy(whose) + at - began, at })
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
        note(whose, began)
        next()
      }
    },
  }
}
