/** Sessions of browsers, and failed sign-ins. */
import type { Instant } from './columns.ts'

export interface SessionTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  /** How long it stays without a request, in minutes. */
  lasts_min: number
  expires_at: Instant
  created_at: Instant
}

/** How often something failed in a window of time: see `access/rate-limit.ts`. */
export interface SignInFailureTable {
  /** What is counted; digests where it was typed. */
  key: string
  failures: number
  /** When the window ends. */
  ends_at: Instant
}
