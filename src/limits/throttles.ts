/** Rate limits: their rules, and the counter of fixed windows that all processes of a server share. */

import { addressList, contains } from './network.ts'

/** The reference's names in `RateLimit-Name`, without `throttle_`. */
export const throttleNames = ['unauthenticated', 'authenticated_api', 'authenticated_web'] as const

/** Limits of single actions, by user or address: names of the settings, in requests per minute. */
export const actLimits = {
  raw_blob: 'raw_blob_request_limit',
  notes_create: 'notes_create_limit',
  issues_create: 'issues_create_limit',
  search: 'search_rate_limit',
  search_unauthenticated: 'search_rate_limit_unauthenticated',
} as const

export type ActLimit = keyof typeof actLimits

export type ThrottleName = (typeof throttleNames)[number] | 'protected_paths' | ActLimit

export interface Throttle {
  max: number
  period_s: number
}

/** The current rules; null for a disabled one. */
export type ThrottleRules = Record<ThrottleName, Throttle | null> & {
  /** Prefixes of the paths to which forms and programs send passwords. */
  paths: readonly string[]
  /** From how many networks a user may come within the window. */
  networks_per_user: { max: number; window_s: number } | null
}

/** How many requests of a client were counted in the current window. */
export interface CountedClient {
  /** The id of a user, a network, or the digest of a path. */
  key: string
  count: number
}

export interface RequestCounter {
  /** Counts a request, and returns the number in the current window. */
  count: (name: ThrottleName, key: string, period_s: number) => Promise<number>
  /** The clients with more requests than `max` in the current window, those with the most first; at most a hundred. */
  above: (name: ThrottleName, rule: Throttle) => Promise<CountedClient[]>
}

/** Limit of the clients that `above` returns. */
export const maxAbove = 100

export interface Throttles extends RequestCounter {
  /** Null while all are disabled, the default, so that a request costs one comparison. Replaced when the settings change. */
  rules: ThrottleRules | null
  /** Whether an address is exempt from limits. */
  isExempt: (address: string) => boolean
}

interface Window {
  /** Number of the window since the epoch. */
  index: number
  period_s: number
  counts: Map<string, number>
}

/** Clients remembered per window; beyond it the oldest are forgotten. About 20 MB. */
const maxKeys = 100_000

/** Counts in this process. Windows of all keys begin together, at multiples of the period. */
export function requestCounter(now_ms: () => number = Date.now): RequestCounter {
  const windows = new Map<ThrottleName, Window>()
  return {
    async count(name, key, period_s) {
      const index = windowOf(now_ms(), period_s)
      const known = windows.get(name)
      const window = known?.index === index && known.period_s === period_s ? known : { index, period_s, counts: new Map<string, number>() }
      windows.set(name, window)
      const count = (window.counts.get(key) ?? 0) + 1
      if (count === 1 && window.counts.size >= maxKeys) dropFirst(window.counts)
      window.counts.set(key, count)
      return count
    },
    async above(name, { max, period_s }) {
      const window = windows.get(name)
      if (window?.index !== windowOf(now_ms(), period_s) || window.period_s !== period_s) return []
      const beyond = [...window.counts].flatMap(([key, count]) => (count > max ? [{ key, count }] : []))
      return beyond.sort((one, other) => other.count - one.count).slice(0, maxAbove)
    },
  }
}

function dropFirst(counts: Map<string, number>): void {
  for (const key of counts.keys()) {
    counts.delete(key)
    return
  }
}

function windowOf(at_ms: number, period_s: number): number {
  return Math.floor(at_ms / 1000 / period_s)
}

/** End of the window that contains this instant, in seconds since the epoch. */
export function windowEnd_s(period_s: number, at_ms = Date.now()): number {
  return (windowOf(at_ms, period_s) + 1) * period_s
}

/** @param counter shared by all processes of a server */
export function openThrottles(counter: RequestCounter = requestCounter(), allowlist: readonly string[] = []): Throttles {
  const exempt = addressList(allowlist)
  return { ...counter, rules: null, isExempt: (address) => allowlist.length > 0 && contains(exempt, address) }
}
