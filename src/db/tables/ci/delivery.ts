/** The tables of what a project brings to its programs and machines: packages, feature flags, states and secure files. */
import type { PackageFileTable, PackageTable } from './ci-deployments.ts'
import type { FlagClientTable, FlagScopeTable, FlagStrategyTable, FlagUserListTable, ProjectFlagTable } from './feature-flags.ts'
import type { SecureFileTable } from './secure-files.ts'
import type { TerraformStateTable, TerraformVersionTable } from './terraform-states.ts'

export type * from './feature-flags.ts'
export type * from './secure-files.ts'
export type * from './terraform-states.ts'

export interface DeliveryTables {
  packages: PackageTable
  package_files: PackageFileTable
  project_flags: ProjectFlagTable
  flag_strategies: FlagStrategyTable
  flag_scopes: FlagScopeTable
  flag_user_lists: FlagUserListTable
  flag_clients: FlagClientTable
  terraform_states: TerraformStateTable
  terraform_versions: TerraformVersionTable
  secure_files: SecureFileTable
}
