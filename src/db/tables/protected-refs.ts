/** Protected branches and tags, and rules that pushes must follow. */
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

/** Belongs to a project, a group or the instance: two of the first three columns are null. */
export interface PushRuleTable {
  id: Generated<number>
  project_id: number | null
  group_id: number | null
  is_instance: true | null
  /** Regular expressions in RE2's syntax; an empty one doesn't apply. */
  commit_message_regex: Generated<string>
  commit_message_negative_regex: Generated<string>
  branch_name_regex: Generated<string>
  author_email_regex: Generated<string>
  file_name_regex: Generated<string>
  /** In MiB; 0 for any size. */
  max_file_size: Generated<number>
  prevent_secrets: Generated<boolean>
  /** Whether an option of the push lets secrets through, which is logged. */
  allow_secrets_by_option: Generated<boolean>
  member_check: Generated<boolean>
  commit_committer_check: Generated<boolean>
  commit_committer_name_check: Generated<boolean>
  reject_unsigned_commits: Generated<boolean>
  reject_non_dco_commits: Generated<boolean>
  deny_delete_tag: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

export type ProtectedBranch = Selectable<ProtectedBranchTable>
export type ProtectedTag = Selectable<ProtectedTagTable>
export type PushRule = Selectable<PushRuleTable>

export interface ProtectionTables {
  protected_branches: ProtectedBranchTable
  protected_tags: ProtectedTagTable
  push_rules: PushRuleTable
}
