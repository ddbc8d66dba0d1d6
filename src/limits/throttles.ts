/** Limits of requests in a period: rules, and the counter of fixed windows that all processes of a server share. */

import { addressList, contains } from './network.ts'

/** Named as the reference names them in `RateLimit-Name`, without `throttle_`. */
export const throttleNames = ['unauthenticated', 'authenticated_api', 'authenticated_web'] as const

/** Limits of one act, by user or address: names of the settings, which are requests per minute. */
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

/** The rules in force; null for one that is off. */
export type ThrottleRules = Record<ThrottleName, Throttle | null> & {
  /** Beginnings of the paths that forms and programs send passwords to. */
  paths: readonly string[]
  /** From how many networks a user may come in the window. */
  networks_per_user: { max: number; window_s: number } | null
}

/** Adds a request, and returns how many there were in the window so far. */
export interface RequestCounter {
  count: (name: ThrottleName, key: string, period_s: number) => Promise<number>
}

export interface Throttles extends RequestCounter {
  /** Null while all are off, the default: then a request costs one comparison. Replaced when the settings change. */
  rules: ThrottleRules | null
  /** Addresses that are never limited. */
  isExempt: (address: string) => boolean
}

interface Window {
  /** Number of the window since 1970. */
  index: number
  period_s: number
  counts: Map<string, number>
}

/** Clients remembered in a window: beyond it the first ones start again. About 20 MB. */
const maxKeys = 100_000

/** Counts in this process. The windows of all keys begin together, at multiples of the period. */
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

/** When the window of this instant ends, in seconds since 1970. */
export function windowEnd_s(period_s: number, at_ms = Date.now()): number {
  return (windowOf(at_ms, period_s) + 1) * period_s
}

/** @param counter the one that all processes of a server share */
export function openThrottles(counter: RequestCounter = requestCounter(), allowlist: readonly string[] = []): Throttles {
  const exempt = addressList(allowlist)
  return { rules: null, count: counter.count, isExempt: (address) => allowlist.length > 0 && contains(exempt, address) }
}
