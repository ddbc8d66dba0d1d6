/** Tokens for the API and git: of users, and of projects and groups. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from './columns.ts'

export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  name: string
  description: string | null
  /** SHA-256 of the token in hexadecimal; the token itself is shown once and never stored. */
  digest: string
  /** Names of scopes, separated by spaces. */
  scopes: string
  expires_on: Day | null
  revoked: boolean
  /** Null for a token that was revoked before this was recorded. */
  revoked_at: Instant | null
  /** Created by an administrator, and shown to administrators only. */
  impersonation: Generated<boolean>
  /** The project or group whose token it is; both are null for the token of a person. */
  project_id: number | null
  namespace_id: number | null
  /** The level of the bot user in that project or group. */
  access_level: number | null
  /** The token that this one goes back to by rotation; null for the first. */
  family_id: number | null
  created_at: Instant
  last_used_at: Instant | null
}

/** A token of exactly one of a project and a group, for git and large files. */
export interface DeployTokenTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  name: string
  /** Null for the default, which has the id in it. */
  username: string | null
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  /** Names of scopes, separated by spaces. */
  scopes: string
  expires_at: Instant | null
  created_at: Instant
}

export type DeployToken = Selectable<DeployTokenTable>
