/** Tokens for the API and git. */
import type { Generated } from 'kysely'
import type { Day, Instant } from './columns.ts'

export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  name: string
  /** SHA-256 of the token in hexadecimal; the token itself is shown once and never stored. */
  digest: string
  /** Names of scopes, separated by spaces. */
  scopes: string
  expires_on: Day | null
  revoked: boolean
  /** Created by an administrator, and shown to administrators only. */
  impersonation: Generated<boolean>
  created_at: Instant
  last_used_on: Day | null
}
