/** Limiter of concurrency, per key and in total. Beyond the limits it refuses; nobody waits. */

/** Releases the slot. Safe to repeat. */
export type Release = () => void

/** Which limit was reached. */
export type Refusal = 'key' | 'all'

export function isRefusal(outcome: Release | Refusal): outcome is Refusal {
  return typeof outcome === 'string'
}

export interface ConcurrencyLimiter {
  /** Takes a slot until it is released; or returns the limit that was reached. */
  acquire: (key: string) => Promise<Release | Refusal>
}

export interface ConcurrencyLimits {
  perKey: number
  total: number
}

export interface Tally {
  readonly total: number
  of: (key: string) => number
  /** Adds an amount for a key, until it is released. */
  add: (key: string, amount: number) => Release
}

/** The current amount per key and in total: slots or bytes. */
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

/** Counts in this process only. */
export function concurrencyLimiter({ perKey, total }: ConcurrencyLimits): ConcurrencyLimiter {
  const held = tally()
  return {
    async acquire(key) {
      if (held.of(key) >= perKey) return 'key'
      return held.total >= total ? 'all' : held.add(key, 1)
    },
  }
}

/** Creates the limiter with this name. */
export type LimiterMaker = (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter

/**
 * Creates each limiter once by name: later callers share it, whatever limits they pass.
 * @param make creates limiters for all processes of a server; by default this process counts alone
 */
export function namedLimiters(make: LimiterMaker = (_, limits) => concurrencyLimiter(limits)): LimiterMaker {
  const known = new Map<string, ConcurrencyLimiter>()
  return (name, limits) => {
    const limiter = known.get(name) ?? make(name, limits)
    known.set(name, limiter)
    return limiter
  }
}
