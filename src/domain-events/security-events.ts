/** Events of credentials, and of what protects an instance, which no other family has. */
import type { User, UserState, Visibility } from '../db/tables.ts'

export type SecurityEvent =
  | SignedIn
  | SignInFailed
  | GitPasswordUsed
  | SudoUsed
  | ImpersonationStarted
  | ImpersonationStopped
  | UserUnblocked
  | AdministratorChanged
  | ServiceAccountCreated
  | CredentialCreated
  | CredentialRevoked
  | ProtectionChanged
  | WebhookChanged
  | GroupVisibilityChanged

/** A session has begun. */
export interface SignedIn {
  type: 'signed_in'
  user: Pick<User, 'id' | 'username'>
  /** Null where the session was not begun by a request. */
  address: string | null
}

/** A wrong password or second factor, or one that nobody has. */
export interface SignInFailed {
  type: 'sign_in_failed'
  /** Null where the login is nobody's: what was typed may be a password in the wrong field. */
  user: Pick<User, 'id' | 'username'> | null
  with: 'password' | 'git' | 'oauth' | 'second_factor'
  address: string
}

/** Somebody used git over HTTP with their password: the first request in an hour from a network. */
export interface GitPasswordUsed {
  type: 'git_password_used'
  user: Pick<User, 'id' | 'username'>
  address: string
}

/** An administrator acts as another user by `sudo`: the first request in an hour. */
export interface SudoUsed {
  type: 'sudo_used'
  user: Pick<User, 'id' | 'username'>
}

export interface ImpersonationStarted {
  type: 'impersonation_started'
  administrator: Pick<User, 'id' | 'username'>
  user: Pick<User, 'id' | 'username'>
}

export interface ImpersonationStopped {
  type: 'impersonation_stopped'
  administrator: Pick<User, 'id' | 'username'>
  user: Pick<User, 'id' | 'username'>
}

/** A user may act from now on: they were unblocked, unbanned or approved, or came back. */
export interface UserUnblocked {
  type: 'user_unblocked'
  user_id: number
  before: Exclude<UserState, 'active'>
}

/** A user has become an administrator, or is one no more. */
export interface AdministratorChanged {
  type: 'administrator_changed'
  user_id: number
  admin: boolean
}

/** A user for machines, of whatever may have credentials. */
export interface ServiceAccountCreated {
  type: 'service_account_created'
  of: CredentialHolder
  user: Pick<User, 'id' | 'username'>
}

/** What a credential is for: a user, a project, a group or the whole instance. */
export type CredentialHolder = { user_id: number } | { project_id: number } | { namespace_id: number } | 'instance'

export interface Credential {
  kind:
    | 'personal_access_token'
    | 'impersonation_token'
    | 'project_access_token'
    | 'group_access_token'
    | 'deploy_token'
    | 'deploy_key'
    | 'oauth_application'
    | 'oauth_grant'
    | 'feed_token'
    | 'runner'
    | 'runner_registration_token'
  /** Null for what has none. */
  id: number | null
  /** Never the secret. */
  name: string
  scopes?: readonly string[]
}

/** Somebody can sign in, or a machine reach something, by what was not there before. A new one in the place of another counts, too. */
export interface CredentialCreated {
  type: 'credential_created'
  of: CredentialHolder
  credential: Credential
}

/** It is refused from now on. */
export interface CredentialRevoked {
  type: 'credential_revoked'
  of: CredentialHolder
  credential: Credential
}

/** A rule for branches or tags of a project. */
export interface ProtectionChanged {
  type: 'protection_changed'
  project_id: number
  act: 'created' | 'changed' | 'removed'
  ref: 'branch' | 'tag'
  /** A name or a wildcard. */
  name: string
  /** The least levels that the rule asks for; empty for one that is removed. */
  levels: { push?: number; merge?: number; create?: number }
}

export interface WebhookChanged {
  type: 'webhook_changed'
  of: CredentialHolder
  act: 'created' | 'changed' | 'removed'
  hook_id: number
}

export interface GroupVisibilityChanged {
  type: 'group_visibility_changed'
  group_id: number
  before: Visibility
  after: Visibility
}
