/** What was read once and can't go stale: values keyed by object ids, least recently used first to go. */
import { Failure, type FailureCode } from '../../failure.ts'

export interface ObjectCache {
  get: <T>(key: string) => T | undefined
  /**
   * Remembers the value, for `life_ms` where that is given, and gives it back. `bytes` is an estimate; a value larger than a
   * quarter of the whole is not kept.
   */
  set: <T>(key: string, value: T, bytes: number, life_ms?: number) => T
  readonly bytes: number
}

export function memory(max_bytes: number): ObjectCache {
  const entries = new Map<string, { value: unknown; bytes: number; until_ms: number | null }>()
  let bytes = 0

  const forget = (key: string) => {
    const entry = entries.get(key)
    if (!entry) return
    bytes -= entry.bytes
    entries.delete(key)
  }
  return {
    get<T>(key: string) {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.until_ms !== null && Date.now() >= entry.until_ms) {
        forget(key)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.value as T
    },
    set(key, value, size, life_ms) {
      const cost = size + 2 * key.length + 100
      if (cost > max_bytes / 4) return value
      forget(key)
      entries.set(key, { value, bytes: cost, until_ms: life_ms === undefined ? null : Date.now() + life_ms })
      bytes += cost
      for (const oldest of entries.keys()) {
        if (bytes <= max_bytes) break
        forget(oldest)
      }
      return value
    },
    get bytes() {
      return bytes
    },
  }
}

/** How long a refusal for too much memory or time stands. */
const refusal_ms = 10 * 60_000

const underWay = new WeakMap<ObjectCache, Map<string, Promise<unknown>>>()

/**
 * Reads through the memory: `read` runs only for a key that isn't remembered, and once for all who ask meanwhile. When it
 * ends for a reason of the first of them, it runs again for the others.
 * Null is given back but not remembered: what is missing now may be pushed next. That something needs too much is remembered for
 * a while: it would need as much the next time, unless the machine is quieter then.
 */
export async function remembered<T>(known: ObjectCache, key: string, read: () => Promise<T>, bytesOf: (value: T) => number): Promise<T> {
  const value = known.get<T | Failure>(key)
  if (value instanceof Failure) throw value
  if (value !== undefined) return value
  const reads = underWay.get(known) ?? new Map<string, Promise<unknown>>()
  underWay.set(known, reads)
  const others = reads.get(key) as Promise<T> | undefined
  if (others) return shared(others, () => remembered(known, key, read, bytesOf))
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

/** Work that somebody else has started. Where it ended for a reason of theirs, `again` does it for this one. */
export async function shared<T>(work: Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Failure && ofFirst.has(error.code)) return again()
    throw error
  }
}

/** Their client left, or they had too many costly requests under way. */
const ofFirst = new Set<FailureCode>(['client_gone', 'too_many_at_once'])

function isUnprocessable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unprocessable'
}
