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
  /** Created by an administrator, and shown only to administrators. */
  impersonation: Generated<boolean>
  /** That administrator; null for other tokens, and for those made before this was recorded. */
  created_by_id: number | null
  /** The project or group that the token belongs to; both are null for a personal token. */
  project_id: number | null
  namespace_id: number | null
  /** The level of the bot user in that project or group. */
  access_level: number | null
  /** The first token of its chain of rotations; null for that one itself. */
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
  /** Null for the default name, which contains the id. */
  username: string | null
  /** SHA-256 of the token in hexadecimal. */
  digest: string
  /** Names of scopes, separated by spaces. */
  scopes: string
  expires_at: Instant | null
  created_at: Instant
}

export type DeployToken = Selectable<DeployTokenTable>
