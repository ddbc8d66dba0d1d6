/** Sessions of browsers, failed sign-ins, networks that users sign in from, and tokens sent by mail. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface SessionTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  /** Minutes without a request after which it ends. */
  lasts_min: number
  expires_at: Instant
  created_at: Instant
  /** IP address of the sign-in; null for sessions from before it was recorded. */
  address: string | null
  /** Browser and system at sign-in, such as `Firefox on Linux`; nothing else of what the browser sent is stored. */
  browser: string | null
  /** The administrator who impersonates the user; null for the user themselves. */
  impersonator_id: number | null
  /** Whether the browser keeps the cookie after it is closed. */
  is_remembered: Generated<boolean>
  /** The user has postponed setting up a second factor, for as long as that is allowed. */
  skips_second_factor: Generated<boolean>
}

/** A token sent to a user by mail: its link performs the action once. */
export interface AccountTokenTable {
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  purpose: 'reset_password' | 'confirm_email' | 'unlock'
  user_id: number
  /** The address it was sent to. */
  email: string
  expires_at: Instant
}

/** How often something failed within a window of time: see `access/passwords/rate-limit.ts`. */
export interface SignInFailureTable {
  /** The key that is counted; a digest if it was typed by a user. */
  key: string
  failures: number
  /** End of the window, or of the lock. */
  ends_at: Instant
  /** Consecutive windows that ended in a lock: each lock lasts twice as long as the one before. */
  lockouts: number
  /** Whose login or second factor is counted; null where it is nobody's, or not known. */
  user_id: number | null
}

/** Requests of a client that a server counted in a window: see `features/instance/settings/shared-counts.ts`. */
export interface RequestCountTable {
  server: string
  /** The name of the limit. */
  name: string
  /** The id of a user, a network, or a path. */
  key: string
  /** End of the window, in seconds since the epoch. */
  ends_s: number
  count: number
}

/** A network from which the user has signed in before: failed attempts from elsewhere don't lock it out. */
export interface KnownNetworkTable {
  user_id: number
  network: string
  used_at: Instant
}

export type AccountToken = Selectable<AccountTokenTable>
