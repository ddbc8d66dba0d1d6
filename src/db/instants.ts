/**
 * Instants and days as the tables store them: ISO 8601 text in UTC with milliseconds, on both engines. Text sorts chronologically, works
 * with a plain index, and goes to the API unchanged. `timestamptz` on one engine and numbers on the other would compare differently, and
 * need a conversion per row.
 */
import type { Day, Instant } from './tables.ts'

export function now(): Instant {
  return new Date().toISOString()
}

const day_ms = 86_400_000
let day = ''
let ends_at = 0

/** The day in UTC. Computed once a day, since each request needs it several times. */
export function today(): Day {
  const at = Date.now()
  if (at >= ends_at || at < ends_at - day_ms) {
    day = new Date(at).toISOString().slice(0, 10)
    ends_at = Math.floor(at / day_ms + 1) * day_ms
  }
  return day
}
