/** Sessions of browsers, and failed sign-ins. */
import type { Generated } from 'kysely'
import type { Instant } from '../columns.ts'

export interface SessionTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  /** How long it stays without a request, in minutes. */
  lasts_min: number
  expires_at: Instant
  created_at: Instant
  /** The network address of the sign-in; null for sessions from before it was recorded. */
  address: string | null
  /** Browser and system of the sign-in, such as `Firefox on Linux`: no more of what the browser sent. */
  browser: string | null
  /** The administrator who acts as the user; null for the user themselves. */
  impersonator_id: number | null
  /** Whether the browser keeps it when it is closed. */
  is_remembered: Generated<boolean>
  /** The user has put off setting up a second factor, as long as that may be put off. */
  skips_second_factor: Generated<boolean>
}

/** How often something failed in a window of time: see `access/passwords/rate-limit.ts`. */
export interface SignInFailureTable {
  /** The key that is counted; a digest if it was typed. */
  key: string
  failures: number
  /** When the window ends. */
  ends_at: Instant
}
