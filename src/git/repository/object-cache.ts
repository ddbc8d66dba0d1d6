/** Cache of values keyed by object ids, which can't become stale. */
import { LRUCache } from 'lru-cache'
import { Failure, type FailureCode } from '../../failure.ts'
import { ReadLimitReached } from '../../limits/read-meter.ts'

export interface ObjectCache {
  get: <T>(key: string) => T | undefined
  /**
   * Stores the value, for `life_ms` if given, and returns it. `bytes` is an estimate; a value larger than a quarter of the cache is not
   * stored, so Infinity keeps one out.
   */
  set: <T>(key: string, value: T, bytes: number, life_ms?: number) => T
  readonly bytes: number
}

/** Evicts the least recently used values beyond `max_bytes`. */
export function objectCache(max_bytes: number): ObjectCache {
  const entries = new LRUCache<string, NonNullable<unknown>>({ maxSize: max_bytes })
  return {
    get: <T>(key: string) => entries.get(key) as T | undefined,
    set(key, value, bytes, life_ms = 0) {
      const size = Math.ceil(bytes) + 2 * key.length + 100
      if (size <= max_bytes / 4) entries.set(key, value as NonNullable<unknown>, { size, ttl: life_ms })
      return value
    },
    get bytes() {
      return entries.calculatedSize
    },
  }
}

/** How long a failure for lack of memory or time is cached: later the machine may be less busy, or its limits higher. */
const refusal_ms = 10 * 60_000

/** Reads that have started but not ended. */
const underWay = new WeakMap<ObjectCache, Map<string, Promise<unknown>>>()

/**
 * Reads through the cache: `read` runs only for a key that isn't cached, and once for all concurrent calls. If it fails for a reason of the
 * first caller alone, it runs again for the others. Null is returned but not cached, since what is missing now may be pushed next.
 * `unprocessable` is cached for a while, since the next read would need as much.
 */
export async function cached<T>(known: ObjectCache, key: string, read: () => Promise<T>, bytesOf: (value: T) => number): Promise<T> {
  const value = known.get<T | Failure>(key)
  if (value instanceof Failure) throw value
  if (value !== undefined) return value
  const reads = underWay.get(known) ?? new Map<string, Promise<unknown>>()
  underWay.set(known, reads)
  const others = reads.get(key) as Promise<T> | undefined
  if (others) return shared(others, () => cached(known, key, read, bytesOf))
  const reading = read()
    .then((fresh) => (fresh === null ? fresh : known.set(key, fresh, bytesOf(fresh))))
    .catch((error: unknown) => {
      if (isUnprocessable(error)) known.set(key, error, 1_000, refusal_ms)
      throw error
    })
    .finally(() => reads.delete(key))
  reads.set(key, reading)
  return reading
}

/** Waits for work that another caller has started. If it failed for a reason of that caller alone, calls `again` for this one. */
export async function shared<T>(work: Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReadLimitReached || (error instanceof Failure && ofFirst.has(error.code))) return again()
    throw error
  }
}

/** Failures of the first caller alone: its client left, it had too many costly requests, or its read had a limit of its own. */
const ofFirst = new Set<FailureCode>(['client_gone', 'too_many_at_once'])

function isUnprocessable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unprocessable'
}
