/** Events of credentials, and of what protects an instance, which no other family has. */
import type { RefusingCount } from '../access/passwords/rate-limit.ts'
import type { ApprovalRule, ApprovalSettings, LdapGroupLink, PushRule, User, UserState, Visibility } from '../db/tables.ts'

export type SecurityEvent =
  | SignedIn
  | SignInFailed
  | SignInLimitLifted
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
  | ApprovalRuleChanged
  | ApprovalSettingsChanged
  | PushRuleChanged
  | SecretsLetThrough
  | WebhookChanged
  | DirectoryLinkChanged
  | GroupSecondFactorChanged
  | SizeLimitChanged
  | GroupVisibilityChanged

/** A session has begun. */
export interface SignedIn {
  type: 'signed_in'
  user: Pick<User, 'id' | 'username'>
  /** Null if no request began the session. */
  address: string | null
}

/** A sign-in failed because of a wrong login, password or second factor. */
export interface SignInFailed {
  type: 'sign_in_failed'
  /** Null if the login is unknown; it isn't recorded, as it may be a password typed into the wrong field. */
  user: Pick<User, 'id' | 'username'> | null
  with: 'password' | 'git' | 'oauth' | 'second_factor'
  address: string
}

/** An administrator let somebody in again before a limit of sign-ins, sign-ups or mail had ended. */
export interface SignInLimitLifted {
  type: 'sign_in_limit_lifted'
  limit: RefusingCount
  /** Whose login it was; null if it was nobody's, or an address is counted. */
  user_id: number | null
  /** The network that was refused, if one was. */
  network: string | null
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

/** A user has become an administrator, or is no longer one. */
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

/** The owner of a credential: a user, a project, a group or the whole instance. */
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
  /** Null if it has no id. */
  id: number | null
  /** Never the secret. */
  name: string
  scopes?: readonly string[]
}

/** A new credential for a person or machine, or one that replaces another. */
export interface CredentialCreated {
  type: 'credential_created'
  of: CredentialHolder
  credential: Credential
}

/** A credential that is no longer accepted. */
export interface CredentialRevoked {
  type: 'credential_revoked'
  of: CredentialHolder
  credential: Credential
}

/** A protection rule for branches or tags of a project. */
export interface ProtectionChanged {
  type: 'protection_changed'
  project_id: number
  act: 'created' | 'changed' | 'removed'
  ref: 'branch' | 'tag'
  /** A name or a wildcard. */
  name: string
  /** The minimum levels that the rule requires, and what else it says of a branch; empty if it was removed. */
  rule: { push?: number; merge?: number; create?: number; allow_force_push?: boolean; code_owner_approval_required?: boolean }
}

/** A rule about who must approve merge requests, of a project, of one merge request, or of a group. */
export interface ApprovalRuleChanged {
  type: 'approval_rule_changed'
  act: 'created' | 'changed' | 'removed'
  rule: ApprovalRule
}

/** How approvals are given and lost in a project, or in all projects below a group. */
export interface ApprovalSettingsChanged {
  type: 'approval_settings_changed'
  of: CredentialHolder
  before: ApprovalSettings
  after: ApprovalSettings
}

/** Rules that pushes must follow, of a project, a group or the instance. */
export interface PushRuleChanged {
  type: 'push_rule_changed'
  of: CredentialHolder
  act: 'created' | 'changed' | 'removed'
  before: PushRule | null
  after: PushRule | null
}

/** A push brought secrets, and said by an option that it was to. */
export interface SecretsLetThrough {
  type: 'secrets_let_through'
  project_id: number
  user: Pick<User, 'id' | 'username'>
  /** One line for each secret, with its kind and place. */
  found: string[]
}

export interface WebhookChanged {
  type: 'webhook_changed'
  of: CredentialHolder
  act: 'created' | 'changed' | 'removed'
  hook_id: number
}

/** Whom of the directory a group has as members. */
export interface DirectoryLinkChanged {
  type: 'directory_link_changed'
  act: 'created' | 'removed'
  link: LdapGroupLink
}

/** Whether a group requires a second factor of its members. */
export interface GroupSecondFactorChanged {
  type: 'group_second_factor_changed'
  group_id: number
  isRequired: boolean
}

/** How much may be stored, in MB: null for the limit above, 0 for none. */
export interface SizeLimitChanged {
  type: 'size_limit_changed'
  place: { project_id: number } | { namespace_id: number }
  limit: 'repository_size_limit' | 'storage_size_limit'
  from: number | null
  to: number | null
}

export interface GroupVisibilityChanged {
  type: 'group_visibility_changed'
  group_id: number
  before: Visibility
  after: Visibility
}
