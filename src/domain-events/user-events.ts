/** What happens to users. */

export type UserEvent = UserBlocked | UserPasswordChanged | UserDeletionStarted | UserDeleted

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
