/**
 * The use of each caller over the last minute: all of the current minute, and the share of the previous one that is still within 60
 * seconds.
 */

export interface RecentUse {
  add: (whose: string, amount: number) => void
  of: (whose: string) => number
}

const period_ms = 60_000

export function recentUse(now: () => number): RecentUse {
  let began = now()
  let current = new Map<string, number>()
  let before = new Map<string, number>()

  /** How much of the current minute has passed, from 0 to 1. */
  function elapsed(): number {
    const periods = Math.floor((now() - began) / period_ms)
    if (periods > 0) {
      before = periods === 1 ? current : new Map()
      current = new Map()
      began += periods * period_ms
    }
    return (now() - began) / period_ms
  }

  return {
    add(whose, amount) {
      elapsed()
      current.set(whose, (current.get(whose) ?? 0) + amount)
    },
    of(whose) {
      const left = 1 - elapsed()
      return (current.get(whose) ?? 0) + left * (before.get(whose) ?? 0)
    },
  }
}
