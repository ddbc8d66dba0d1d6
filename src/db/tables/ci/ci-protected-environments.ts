/** Protected environments: who may deploy, who must approve, and who has. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface CiProtectedEnvironmentTable {
  id: Generated<number>
  /** Exactly one of these is set: an environment is protected in a project or in a group. */
  project_id: number | null
  group_id: number | null
  /** The name of an environment, which may not exist yet; for groups, the tier of environments. */
  name: string
  /** How many must approve where no rule says who. */
  required_approval_count: Generated<number>
  created_at: Instant
  updated_at: Instant
}

/** Names a role, a user or a group: one of these. */
export interface CiEnvironmentRuleTable {
  id: Generated<number>
  protected_environment_id: number
  kind: 'deploy' | 'approve'
  access_level: number | null
  user_id: number | null
  group_id: number | null
  /** 0: direct members of the group; 1: inherited ones, too. */
  group_inheritance_type: Generated<number>
  /** Only rules that approve have one. */
  required_approvals: Generated<number>
}

export interface CiDeploymentApprovalTable {
  id: Generated<number>
  deployment_id: number
  user_id: number
  /** For which rule it counts; null for each that the user fits. */
  rule_id: number | null
  status: 'approved' | 'rejected'
  comment: string | null
  created_at: Instant
}

export interface ProtectedEnvironmentTables {
  ci_protected_environments: CiProtectedEnvironmentTable
  ci_environment_rules: CiEnvironmentRuleTable
  ci_deployment_approvals: CiDeploymentApprovalTable
}

export type CiProtectedEnvironment = Selectable<CiProtectedEnvironmentTable>
export type CiEnvironmentRule = Selectable<CiEnvironmentRuleTable>
export type CiDeploymentApproval = Selectable<CiDeploymentApprovalTable>
