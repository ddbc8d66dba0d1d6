/** Sessions of browsers, failed sign-ins, the networks that users sign in from, and tokens that are sent by mail. */
import type { Generated, Selectable } from 'kysely'
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

/** How often something failed in a window of time: see `access/passwords/rate-limit.ts`. */
export interface SignInFailureTable {
  /** The key that is counted; a digest if it was typed. */
  key: string
  failures: number
  /** When the window ends, or the lock. */
  ends_at: Instant
  /** How many windows in a row have ended in a lock: each lasts twice as long as the one before. */
  lockouts: number
}

/** Requests of a client that a server has counted in the window that ends then: see `features/instance/settings/shared-counts.ts`. */
export interface RequestCountTable {
  server: string
  /** The limit. */
  name: string
  /** A user's id, a network or a path. */
  key: string
  /** Seconds since 1970. */
  ends_s: number
  count: number
}

/** A network from which somebody has signed in as the user: no guesses of others lock it out. */
export interface KnownNetworkTable {
  user_id: number
  network: string
  used_at: Instant
}

export type AccountToken = Selectable<AccountTokenTable>
