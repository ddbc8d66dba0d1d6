/** Whatever a project has is in its archives, or it is said here why not: a table or a column that was forgotten fails. */
import { expect, test } from 'vitest'
import { projectFeatures } from '../../../src/access/features.ts'
import { kindOf, ProjectSettings, rowTableNames, rowTables, tables } from '../../../src/features/transfer/archive/format.ts'
import { listTables, people, planningTableNames, references } from '../../../src/features/transfer/archive/planning-format.ts'
import { testForge } from '../../support/forge.ts'
import { type Column, columnsOf, nameOf, tablesOfProjects } from './schema.ts'

/** Tables that are no lines of an archive, and the property or file of it that holds their rows. */
const elsewhere = {
  label_priorities: tables.labels.properties.priority,
  lfs_links: kindOf(`lfs/${'0'.repeat(64)}`),
  project_topics: ProjectSettings.properties.tag_list,
  projects: kindOf('project.json'),
  wikis: kindOf('wiki.bundle'),
}

/** Tables that archives leave out, each with the reason. */
const leftTables: Record<string, string> = {
  access_requests: 'who asked for access asks again',
  access_tokens: 'tokens are of one instance',
  approval_rule_branches: 'of rules, which are left out',
  approval_rule_groups: 'groups are not in the archive',
  approval_rule_users: 'who decides here need not decide there',
  approval_rules: 'name people and groups of one instance',
  approval_settings: 'are of rules, which are left out',
  chat_names: 'a chat is connected anew',
  ci_artifacts: 'jobs become statuses: their files stay with the instance',
  ci_deployment_approvals: 'belong to deployments',
  ci_deployments: 'belong to environments',
  ci_downstream_pipelines: 'pipelines may be of other projects',
  ci_environment_rules: 'name people and groups of one instance',
  ci_environments: 'what runs at an address was deployed by this instance',
  ci_freeze_periods: 'deployments are of one instance',
  ci_job_token_groups: 'groups are not in the archive',
  ci_job_token_projects: 'other projects are not in the archive',
  ci_jobs: 'jobs become statuses, which nothing runs again',
  ci_pipeline_variables: 'sealed by the key of the instance',
  ci_protected_environments: 'what is deployed where is of one instance',
  ci_queue: 'jobs that wait for a runner of this instance',
  ci_resource_groups: 'locks of jobs',
  ci_runner_projects: 'runners are of one instance',
  ci_schedule_variables: 'sealed by the key of the instance',
  ci_schedules: 'would start pipelines in the name of somebody who may not be here',
  ci_trace_chunks: 'jobs become statuses: their traces stay with the instance',
  ci_traces: 'jobs become statuses: their traces stay with the instance',
  ci_triggers: 'tokens are of one instance',
  ci_variables: 'sealed by the key of the instance',
  code_parts: 'the index is built again',
  code_projects: 'the index is built again',
  context_commits: 'commits of branches that may not be in the archive',
  custom_attributes: 'are for administrators of one instance',
  deploy_key_projects: 'keys give access to one instance',
  deploy_tokens: 'tokens are of one instance',
  draft_notes: 'are for their author alone',
  feature_gates: 'features are switched for one instance',
  fetch_counts: 'fetches from this instance',
  flag_clients: 'secrets of programs are of one instance',
  flag_scopes: 'flags are read by programs that know this instance',
  flag_strategies: 'flags are read by programs that know this instance',
  flag_user_lists: 'flags are read by programs that know this instance',
  group_shares: 'groups are not in the archive',
  hook_deliveries: 'a log of what this instance sent',
  hooks: 'addresses and secrets, sealed by the key of the instance',
  integrations: 'addresses and secrets, sealed by the key of the instance',
  invitations: 'links by mail are of one instance',
  issue_counts: 'counted by triggers',
  lfs_locks: 'end with the work that they protect',
  lfs_tokens: 'tokens are of one instance',
  mail_contents: 'mail that this instance sends',
  mails: 'mail that this instance sends',
  merge_request_blocks: 'may name merge requests of other projects',
  merge_request_counts: 'counted by triggers',
  merge_train_cars: 'queues test and merge in one instance',
  notification_settings: 'what their users want mail about',
  package_files: 'packages are published anew',
  packages: 'packages are published anew',
  pending_versions: 'work of the queue',
  pinned_projects: 'profiles are of one instance',
  project_exports: 'the archive itself',
  project_flags: 'flags are read by programs that know this instance',
  project_imports: 'an import that is under way',
  project_stars: 'stars are given on one instance',
  pull_mirrors: 'addresses and secrets, sealed by the key of the instance',
  push_intents: 'pushes that are under way',
  push_mirrors: 'addresses and secrets, sealed by the key of the instance',
  push_rules: 'rules of one instance: who may push what elsewhere is decided there',
  redirects: 'paths of this instance',
  release_evidences: 'were collected by this instance: another one could not vouch for them',
  repository_facts: 'read from the repository again',
  routes: 'paths of this instance',
  secure_files: 'sealed by the key of the instance',
  service_accounts: 'accounts are of one instance',
  size_limits: 'are of one instance',
  snippet_comments: 'on personal snippets, which are of no project',
  stacked_merges: 'merges that are under way',
  status_check_answers: 'of webhooks, which are left out',
  status_check_branches: 'of webhooks, which are left out',
  stored_sizes: 'counted by triggers',
  terraform_states: 'sealed by the key of the instance',
  terraform_versions: 'sealed by the key of the instance',
  todos: 'are for one person alone',
  transfer_progress: 'an import or export that is under way',
  user_agent_details: 'from where somebody wrote is for administrators of one instance',
  viewed_files: 'are for one person alone',
}

/** Columns of tables in archives that are left out. Ids are given anew, and the project is the new one. */
const leftColumns: Record<string, string> = {
  'award_emoji.left_by_id': 'a deleted user of this instance',
  'award_emoji.snippet_comment_id': 'on personal snippets, which are of no project',
  'badges.namespace_id': 'of badges of groups',
  'badges.updated_at': 'as created',
  'boards.namespace_id': 'of boards of groups',
  'commit_statuses.kind': 'jobs become statuses',
  'commit_statuses.protected': 'says which runner may take a job',
  'commit_statuses.queued_at': 'in the pipeline, as a sum',
  'commit_statuses.runner_id': 'runners are of one instance',
  'commit_statuses.tag': 'as in the pipeline',
  'events.after_oid': 'of pushes, which are left out',
  'events.before_oid': 'of pushes, which are left out',
  'events.commit_count': 'of pushes, which are left out',
  'events.commit_title': 'of pushes, which are left out',
  'events.ref': 'of pushes, which are left out',
  'events.wiki_format': 'of wiki pages, which the commits of the wiki tell of',
  'events.wiki_slug': 'of wiki pages, which the commits of the wiki tell of',
  'events.wiki_title': 'of wiki pages, which the commits of the wiki tell of',
  'internal_ids.namespace_id': 'of numbers of groups',
  'issues.downvotes': 'counted again',
  'issues.moved_to_id': 'an issue of another project',
  'issues.upvotes': 'counted again',
  'issues.user_notes_count': 'counted again',
  'labels.namespace_id': 'a line says that it is inherited',
  'members.namespace_id': 'of members of groups',
  'members.updated_at': 'as created',
  'merge_request_version_commits.change_id': 'read with the next push',
  'merge_request_versions.patch_id': 'computed again',
  'merge_requests.checked_source_oid': 'mergeability is checked again',
  'merge_requests.checked_target_oid': 'mergeability is checked again',
  'merge_requests.downvotes': 'counted again',
  'merge_requests.draft': 'read from the title again',
  'merge_requests.merge_error': 'of a merge that this instance tried',
  'merge_requests.merge_params': 'of a merge that this instance was to do',
  'merge_requests.merge_status': 'mergeability is checked again',
  'merge_requests.merge_under_way': 'of a merge that this instance was to do',
  'merge_requests.merge_user_id': 'of a merge that this instance was to do',
  'merge_requests.merge_when_pipeline_succeeds': 'of a merge that this instance was to do',
  'merge_requests.rebase_oid': 'of a rebase that is under way',
  'merge_requests.source_project_id': 'a line says whether it is the project itself',
  'merge_requests.upvotes': 'counted again',
  'merge_requests.user_notes_count': 'counted again',
  'milestones.namespace_id': 'a line says that it is inherited',
  'notes.about_project_id': 'another project',
  'pipelines.auto_cancel': 'no pipeline of an archive runs again',
  'pipelines.cancel_on_job_failure': 'no pipeline of an archive runs again',
  'pipelines.committed_at': 'read for jobs, of which none runs again',
  'pipelines.iid': 'numbered anew, in the same order',
  'pipelines.merge_request_id': 'pipelines are restored before merge requests',
  'pipelines.protected': 'no pipeline of an archive runs again',
  'pipelines.schedule_id': 'schedules are left out',
  'pipelines.source_sha': 'the result of merging is not in the archive',
  'pipelines.trigger_id': 'triggers are left out',
  'projects.archived_before': 'the new project is not marked for deletion',
  'projects.archived_by_group': 'the new project is in a group that is not archived',
  'projects.avatar_key': 'a file of the archive',
  'projects.commit_count': 'measured again',
  'projects.creator_id': 'who imports it',
  'projects.deletion_due_at': 'the new project is not marked for deletion',
  'projects.external_tracker': 'of an integration, which is left out',
  'projects.external_wiki_url': 'of an integration, which is left out',
  'projects.forked_from_id': 'another project',
  'projects.forks_count': 'counted again',
  'projects.import_error': 'of its own import',
  'projects.import_status': 'of its own import',
  'projects.import_url': 'of its own import',
  'projects.lfs_objects_size': 'measured again',
  'projects.marked_for_deletion_at': 'the new project is not marked for deletion',
  'projects.namespace_id': 'where it is imported to',
  'projects.open_issues_count': 'counted again',
  'projects.push_count': 'pushes of this instance',
  'projects.readme_path': 'read from the repository again',
  'projects.repository_size': 'measured again',
  'projects.runners_token': 'tokens are of one instance',
  'projects.runners_token_digest': 'tokens are of one instance',
  'projects.snippets_size': 'measured again',
  'projects.star_count': 'counted again',
  'projects.wiki_size': 'measured again',
  'protected_branches.code_owner_approval_required': 'owners are people and groups of one instance',
  'snippets.downvotes': 'counted again',
  'snippets.file_name': 'of the first file',
  'snippets.size': 'measured again',
  'snippets.upvotes': 'counted again',
  'snippets.user_notes_count': 'counted again',
  'uploads.store_key': 'a file of the archive',
}

const named = Object.values(listTables).flatMap((lists) => Object.values(lists).map(([table]) => table as string))
const lines: string[] = [...rowTableNames, ...planningTableNames]

test('every table of a project is in its archives, or has a reason', async () => {
  const found = tablesOfProjects(await columnsOf((await testForge()).app.db))
  const decided = [...lines, ...named, ...Object.keys(elsewhere), ...Object.keys(leftTables)].sort()
  expect(decided, 'add the table to the archive (transfer/archive), or to `leftTables` of this file with the reason').toEqual(found)
  expect(Object.values(elsewhere)).not.toContain(null)
  expect(Object.keys(leftTables)).toEqual(Object.keys(leftTables).sort())
})

test('every column of these tables is in archives, or has a reason', async () => {
  const found = (await columnsOf((await testForge()).app.db)).filter(({ table }) => table === 'projects' || lines.includes(table))
  const missing = found.filter((column) => !isArchived(column)).map(nameOf)
  expect(Object.keys(leftColumns), 'add the column to planning-format.ts, or to `leftColumns` with the reason').toEqual(missing.sort())
})

const featureLevels = projectFeatures.map((feature) => `${feature}_access_level`)

function isArchived({ table, name }: Column): boolean {
  if (name === 'id' || name === 'project_id') return true
  const { properties } = table === 'projects' ? ProjectSettings : tables[table as keyof typeof tables]
  return Object.keys(properties).some((property) => [property, columnFor(table, property)].includes(name)) || featureLevels.includes(name)
}

function columnFor(table: string, property: string): string {
  if (property === 'person') return rowTables[table as keyof typeof rowTables] ?? (table === 'events' ? 'author_id' : 'user_id')
  if (property === 'pipeline' || property === 'discussion') return `${property}_id`
  if (property in references) return references[property as keyof typeof references].column
  return property in people ? people[property as keyof typeof people] : property
}
