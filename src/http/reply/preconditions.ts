/** `If-Unmodified-Since`: rejects a request that was meant for an older state of a thing (spec part 7). */
import { Failure } from '../../failure.ts'

/** The instant of the header; null if it is absent or can't be parsed. */
export function parseSince(header: string | undefined): Date | null {
  const instant = new Date(header ?? '')
  return Number.isNaN(instant.getTime()) ? null : instant
}

/** Throws 412 if the thing was changed after the instant. The header has whole seconds only. */
export function requireUnmodified(since: Date, changed_at: string | null | undefined): void {
  if (changed_at && Math.floor(Date.parse(changed_at) / 1000) > since.getTime() / 1000) {
    throw new Failure('unmodified_since', '412 Precondition Failed')
  }
}
