/** Sessions of browsers, where they began, failed sign-ins, and tokens that are sent by mail. */
import type { Selectable } from 'kysely'
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
}

/** What a message to a user leads to: whoever has the link does this, once. */
export interface AccountTokenTable {
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  purpose: 'reset_password' | 'confirm_email' | 'unlock'
  user_id: number
  /** The address that it was sent to. */
  email: string
  expires_at: Instant
}

/** A network from which a user has signed in with a browser. */
export interface SignInNetworkTable {
  user_id: number
  network: string
  last_seen_at: Instant
}

/** How often something failed in a window of time: see `access/passwords/rate-limit.ts`. */
export interface SignInFailureTable {
  /** The key that is counted; a digest if it was typed. */
  key: string
  failures: number
  /** When the window ends. */
  ends_at: Instant
}

export type AccountToken = Selectable<AccountTokenTable>
