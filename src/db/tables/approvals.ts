/** Approvals of merge requests, the rules that require them, and the settings of a project about them. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface ApprovalTable {
  merge_request_id: number
  user_id: number
  created_at: Instant
}

/** How approvals are given and lost. */
interface ApprovalSettingsColumns {
  /** Whether authors may approve their own merge requests. */
  merge_requests_author_approval: Generated<boolean>
  /** Whether those may not approve who wrote or pushed commits of it. */
  merge_requests_disable_committers_approval: Generated<boolean>
  /** The kind of push that removes approvals: one that changes the diff, any, or none. */
  reset_approvals_on: Generated<'change' | 'push' | 'never'>
  /** Whether only approvals of owners of changed files are taken away, if no others are. */
  selective_code_owner_removals: Generated<boolean>
  disable_overriding_approvers_per_merge_request: Generated<boolean>
  /** Whether approving asks for the password, or a code of the second factor. */
  require_password_to_approve: Generated<boolean>
}

/** Without a row, the defaults. */
export interface ApprovalSettingsTable extends ApprovalSettingsColumns {
  project_id: number
}

/** Minimum for all projects below the group, which may only be stricter. Without a row, the projects decide. */
export interface GroupApprovalSettingsTable extends ApprovalSettingsColumns {
  group_id: number
}

/** A rule of a project, of one of its merge requests, or of all projects below a group. */
export interface ApprovalRuleTable {
  id: Generated<number>
  /** Null for a rule of a group. */
  project_id: number | null
  group_id: number | null
  merge_request_id: number | null
  /** The rule of the project in whose place this one of a merge request stands. */
  source_rule_id: number | null
  /** Whether everybody who may approve counts, or only those it names. */
  rule_type: 'any_approver' | 'regular'
  name: string
  approvals_required: Generated<number>
  applies_to_all_protected_branches: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

export interface ApprovalRuleUserTable {
  rule_id: number
  user_id: number
}

export interface ApprovalRuleGroupTable {
  rule_id: number
  group_id: number
}

/** The protected branches, or wildcards, to which the rule is limited. */
export interface ApprovalRuleBranchTable {
  rule_id: number
  protected_branch_id: number
}

export type ApprovalSettings = Selectable<ApprovalSettingsColumns>
export type ApprovalRule = Selectable<ApprovalRuleTable>

export interface ApprovalTables {
  approvals: ApprovalTable
  approval_settings: ApprovalSettingsTable
  group_approval_settings: GroupApprovalSettingsTable
  approval_rules: ApprovalRuleTable
  approval_rule_users: ApprovalRuleUserTable
  approval_rule_groups: ApprovalRuleGroupTable
  approval_rule_branches: ApprovalRuleBranchTable
}
