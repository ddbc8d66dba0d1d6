/** Limiter of concurrency, per key and in total. Beyond the limits it refuses; nobody waits. */

/** Gives the slot back. Safe to repeat. */
export type Release = () => void

/** Which limit was reached. */
export type Refusal = 'key' | 'all'

export function isRefusal(outcome: Release | Refusal): outcome is Refusal {
  return typeof outcome === 'string'
}

export interface ConcurrencyLimiter {
  /** Takes a slot until it is released, or returns the limit that was reached. */
  acquire: (key: string) => Promise<Release | Refusal>
}

export interface ConcurrencyLimits {
  perKey: number
  total: number
}

export interface Tally {
  readonly total: number
  of: (key: string) => number
  /** Counts so much for a key, until it is released. */
  add: (key: string, amount: number) => Release
}

/** What is held by each key, and in total: slots, or bytes. */
export function tally(): Tally {
  const amounts = new Map<string, number>()
  let total = 0
  const change = (key: string, by: number) => {
    total += by
    const amount = (amounts.get(key) ?? 0) + by
    if (amount > 0) amounts.set(key, amount)
    else amounts.delete(key)
  }
  return {
    get total() {
      return total
    },
    of: (key) => amounts.get(key) ?? 0,
    add(key, amount) {
      change(key, amount)
      let isHeld = true
      return () => {
        if (isHeld) change(key, -amount)
        isHeld = false
      }
    },
  }
}

/** Counts in this process alone. */
export function concurrencyLimiter({ perKey, total }: ConcurrencyLimits): ConcurrencyLimiter {
  const held = tally()
  return {
    async acquire(key) {
      if (held.of(key) >= perKey) return 'key'
      return held.total >= total ? 'all' : held.add(key, 1)
    },
  }
}

/** Makes a limiter of a name. */
export type LimiterMaker = (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter

/**
 * Each limiter once, by its name: later callers share the limiter of the first, whatever limits they pass.
 * @param make the limiters of all processes of a server; without it this process counts alone
 */
export function namedLimiters(make: LimiterMaker = (_, limits) => concurrencyLimiter(limits)): LimiterMaker {
  const known = new Map<string, ConcurrencyLimiter>()
  return (name, limits) => {
    const limiter = known.get(name) ?? make(name, limits)
    known.set(name, limiter)
    return limiter
  }
}
