/**
 * Permissions in projects and groups, by name, with the role that each requires (spec 2.2). Rules of endpoints and pages, services and
 * queries only use these names; further conditions, such as features or authorship, are next to each check.
 */
import { accessLevels, type Role } from './levels.ts'

export const permissions = {
  // Code.
  read_code: 'reporter',
  read_fetches: 'reporter',
  push_code: 'developer',
  create_first_branch: 'maintainer',
  set_commit_status: 'developer',
  change_tags: 'maintainer',
  protect_branches: 'maintainer',
  delete_protected_branches: 'maintainer',
  edit_repository_settings: 'maintainer',
  run_housekeeping: 'maintainer',
  manage_deploy_keys: 'maintainer',
  manage_deploy_tokens: 'maintainer',
  manage_mirrors: 'maintainer',
  unlock_files: 'maintainer',

  // Issues, with labels and milestones.
  read_confidential_issues: 'reporter',
  manage_issues: 'reporter',
  manage_labels: 'reporter',
  manage_boards: 'reporter',
  manage_milestones: 'developer',
  delete_board_lists: 'owner',
  delete_issues: 'owner',
  set_dates: 'owner',

  // Merge requests.
  create_merge_requests: 'developer',
  manage_merge_requests: 'developer',
  merge: 'developer',
  pass_merge_train: 'maintainer',
  reset_approvals: 'developer',
  manage_approval_rules: 'maintainer',
  answer_status_checks: 'developer',
  manage_status_checks: 'maintainer',
  delete_merge_requests: 'owner',

  // Discussions.
  read_internal_notes: 'reporter',
  write_internal_notes: 'reporter',
  resolve_discussions: 'developer',
  edit_all_notes: 'maintainer',

  // Documents.
  write_snippets: 'reporter',
  edit_all_snippets: 'maintainer',
  write_wikis: 'developer',
  force_push_wikis: 'maintainer',
  delete_wiki_pages: 'maintainer',
  manage_releases: 'developer',

  // CI.
  read_jobs: 'reporter',
  lint_with_project: 'developer',
  run_pipelines: 'developer',
  keep_artifacts: 'developer',
  read_deployments: 'reporter',
  deploy: 'developer',
  publish_packages: 'developer',
  read_private_artifacts: 'developer',
  erase_all_jobs: 'maintainer',
  manage_all_schedules: 'maintainer',
  delete_artifacts: 'maintainer',
  delete_packages: 'maintainer',
  manage_deployments: 'maintainer',
  manage_feature_flags: 'developer',
  reset_flag_clients: 'maintainer',
  read_terraform_states: 'developer',
  write_terraform_states: 'maintainer',
  read_secure_files: 'developer',
  manage_secure_files: 'maintainer',
  manage_job_tokens: 'maintainer',
  manage_runners: 'maintainer',
  manage_triggers: 'maintainer',
  manage_variables: 'maintainer',
  delete_pipelines: 'owner',

  // The project itself.
  edit_project: 'maintainer',
  share_project: 'maintainer',
  export_project: 'maintainer',
  manage_integrations: 'maintainer',
  manage_uploads: 'maintainer',
  rename_project: 'owner',
  archive_group: 'owner',
  archive_project: 'owner',
  transfer_project: 'owner',
  replace_project: 'owner',
  manage_fork_relation: 'owner',
  delete_project: 'owner',

  // Groups.
  create_projects: 'maintainer',
  create_subgroups: 'owner',
  edit_group: 'owner',
  export_group: 'owner',
  share_group: 'owner',
  delete_group: 'owner',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof permissions

/** The minimum access level for the permission. */
export function levelFor(permission: Permission): number {
  return accessLevels[permissions[permission]]
}

/** Whether someone with this access level has the permission; 0 is not a member. */
export function may(permission: Permission, level: number): boolean {
  return level >= levelFor(permission)
}
