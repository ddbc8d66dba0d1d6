/** Limiter of what is under way at once, for each key and in all. Nobody waits: beyond the limits one is refused. */

/** Gives the place back; more than once does no harm. */
export type Release = () => void

/** Which limit was reached. */
export type Refusal = 'key' | 'all'

export interface ConcurrencyLimiter {
  /** Takes a place for as long as it isn't released, or tells which limit leaves none. */
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
