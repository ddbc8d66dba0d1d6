/** Events of users, and of the keys they sign in with. */
import type { SshKey, User } from '../db/tables.ts'

export type UserEvent =
  | UserCreated
  | UserRenamed
  | SignInRefused
  | KeyAdded
  | KeyRemoved
  | UserBlocked
  | UserPasswordChanged
  | SecondFactorEnabled
  | SecondFactorDisabled
  | UserDeletionStarted
  | UserDeleted

/** An account of a person. */
export interface UserCreated {
  type: 'user_created'
  user: User
}

/** They have another user name, and their namespace another path. */
export interface UserRenamed {
  type: 'user_renamed'
  /** As the transaction leaves it. */
  user: User
  /** The user name. */
  before: string
}

/** Somebody who is blocked has tried to sign in, with the right password. */
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

export interface UserBlocked {
  type: 'user_blocked'
  user_id: number
}

export interface UserPasswordChanged {
  type: 'user_password_changed'
  user_id: number
  /** Digest of the session in which the user chose the password; null if somebody else did. */
  session: string | null
}

/** The first factor of the user was set up: from now on the password alone opens nothing. */
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

/** Published before the row of the user is locked: what must be locked before it is removed now. */
export interface UserDeletionStarted {
  type: 'user_deletion_started'
  user_id: number
}

/** Published just before the row goes, and with it every row that refers to it still. */
export interface UserDeleted {
  type: 'user_deleted'
  user_id: number
  /** The Ghost User, who gets the contributions. */
  ghost_id: number
  /** Contributions are deleted too. */
  hard_delete: boolean
}
