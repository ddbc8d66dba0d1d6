/** Events of users, and of the keys they sign in with. */
import type { AbuseReport, Email, GpgKey, Instant, SshKey, User, UserState } from '../db/tables.ts'

export type UserEvent =
  | UserCreated
  | UserRenamed
  | SignInRefused
  | KeyAdded
  | KeyRemoved
  | UserBlocked
  | SignUpRejected
  | AbuseReported
  | UserPasswordChanged
  | SecondFactorEnabled
  | SecondFactorDisabled
  | UserEmailChanged
  | EmailChangeRequested
  | EmailAdded
  | GpgKeyAdded
  | GpgKeyRemoved
  | SignedInFromNewNetwork
  | UserDeletionStarted
  | UserDeleted

/** An account of a person. */
export interface UserCreated {
  type: 'user_created'
  user: User
  /** Whether they will choose their first password by a link. */
  is_invited: boolean
}

/** Their username, and so the path of their namespace, has changed. */
export interface UserRenamed {
  type: 'user_renamed'
  /** As the transaction leaves it. */
  user: User
  /** The former username. */
  before: string
}

/** A blocked user has tried to sign in with the correct password. */
export interface SignInRefused {
  type: 'sign_in_refused'
  user: User
}

/** A key of a user, not of a project. */
export interface KeyAdded {
  type: 'key_added'
  key: SshKey
}

export interface KeyRemoved {
  type: 'key_removed'
  key: SshKey
}

/** A user may act no more: they were blocked, banned or deactivated. */
export interface UserBlocked {
  type: 'user_blocked'
  user_id: number
  state: Exclude<UserState, 'active'>
}

/** A user has told administrators of another. */
export interface AbuseReported {
  type: 'abuse_reported'
  report: AbuseReport
  user: User
  reporter: User
}

/** Somebody who had signed up was turned down. Published before the account is deleted. */
export interface SignUpRejected {
  type: 'sign_up_rejected'
  user: User
}

export interface UserPasswordChanged {
  type: 'user_password_changed'
  user_id: number
  /** Digest of the session in which the user chose the password; null if someone else did. */
  session: string | null
}

/** The user has set up a first second factor: from now on the password alone gives no access. */
export interface SecondFactorEnabled {
  type: 'second_factor_enabled'
  user_id: number
  /** Digest of the session in which the user set it up. */
  session: string | null
}

/** The last factor was removed, by the user or by an administrator. */
export interface SecondFactorDisabled {
  type: 'second_factor_disabled'
  user_id: number
}

/** Their primary address has changed. */
export interface UserEmailChanged {
  type: 'user_email_changed'
  /** As the transaction leaves it. */
  user: User
  before: string
}

/** A new primary address waits for its confirmation. */
export interface EmailChangeRequested {
  type: 'email_change_requested'
  user_id: number
  email: string
}

/** A further address of a user. */
export interface EmailAdded {
  type: 'email_added'
  email: Email
}

export interface GpgKeyAdded {
  type: 'gpg_key_added'
  key: GpgKey
}

export interface GpgKeyRemoved {
  type: 'gpg_key_removed'
  key: GpgKey
}

/** Somebody who has signed in before did so from a network in which they were not seen lately. */
export interface SignedInFromNewNetwork {
  type: 'signed_in_from_new_network'
  user_id: number
  /** IP address. */
  address: string
  browser: string | null
  at: Instant
}

/** Published before the row of the user is locked, for subscribers that must lock other rows first. */
export interface UserDeletionStarted {
  type: 'user_deletion_started'
  user_id: number
}

/** Published just before the row is deleted, and with it every row that still refers to it. */
export interface UserDeleted {
  type: 'user_deleted'
  user_id: number
  /** The Ghost User, who gets the contributions. */
  ghost_id: number
  /** Whether contributions are deleted, too. */
  hard_delete: boolean
}
