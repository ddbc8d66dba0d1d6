/** `If-Unmodified-Since`: a request meant for an older state of a thing is refused (spec part 7). */
import { Failure } from '../../failure.ts'

/** The instant of the header; null without one, and for one that can't be read. */
export function parseSince(header: string | undefined): Date | null {
  const instant = new Date(header ?? '')
  return Number.isNaN(instant.getTime()) ? null : instant
}

/** Throws 412 when the thing changed after the instant. The header has whole seconds only. */
export function requireUnmodified(since: Date, changed_at: string | null | undefined): void {
  if (changed_at && Math.floor(Date.parse(changed_at) / 1000) > since.getTime() / 1000) {
    throw new Failure('unmodified_since', '412 Precondition Failed')
  }
}
