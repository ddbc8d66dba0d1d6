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

/** Counts in this process alone. */
export function concurrencyLimiter({ perKey, total }: ConcurrencyLimits): ConcurrencyLimiter {
  const counts = new Map<string, number>()
  let all = 0

  const release = (key: string) => {
    all -= 1
    const left = (counts.get(key) ?? 0) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  return {
    async acquire(key) {
      const count = counts.get(key) ?? 0
      if (count >= perKey) return 'key'
      if (all >= total) return 'all'
      counts.set(key, count + 1)
      all += 1
      let held = true
      return () => {
        if (held) release(key)
        held = false
      }
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
