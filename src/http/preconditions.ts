/** `If-Unmodified-Since`: who deletes what he saw some time ago is refused when it has changed since (spec part 7). */
import { Failure } from '../failure.ts'

/** The instant a client sent; null when it sent none, or none that can be read. */
export function parseSince(header: string | undefined): Date | null {
  const instant = new Date(header ?? '')
  return Number.isNaN(instant.getTime()) ? null : instant
}

/** Throws 412 when the thing changed after the instant. The header knows whole seconds only. */
export function requireUnmodified(since: Date | null, changed_at: string): void {
  if (since && Math.floor(Date.parse(changed_at) / 1000) > since.getTime() / 1000) {
    throw new Failure('unmodified_since', '412 Precondition Failed')
  }
}
