/** Protected branches and tags. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** `name` may contain wildcards. Level 0 means nobody. */
export interface ProtectedBranchTable {
  id: Generated<number>
  project_id: number
  name: string
  push_level: number
  merge_level: number
  /** Whether users who may push may also force-push. */
  allow_force_push: Generated<boolean>
  /** Whether changes of files need the approval of their owners, by the CODEOWNERS file. */
  code_owner_approval_required: Generated<boolean>
  updated_at: Instant
}

export interface ProtectedTagTable {
  id: Generated<number>
  project_id: number
  name: string
  create_level: number
  updated_at: Instant
}

export type ProtectedBranch = Selectable<ProtectedBranchTable>
export type ProtectedTag = Selectable<ProtectedTagTable>
