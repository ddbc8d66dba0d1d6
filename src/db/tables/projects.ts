/** Projects. */
import type { Generated, Selectable } from 'kysely'
import type { FeatureLevel, Instant, Visibility } from './columns.ts'

export interface ProjectTable {
  id: Generated<number>
  namespace_id: number
  creator_id: number | null
  name: string
  path: string
  description: string | null
  visibility: Visibility
  /** Null while the repository has no branch. */
  default_branch: string | null
  archived: boolean
  /** Whether it is archived only because a group above it is. */
  archived_by_group: Generated<boolean>
  /** Until it is due it can be restored; it is archived until then. */
  marked_for_deletion_at: Instant | null
  deletion_due_at: Instant | null
  /** Whether the project was archived before it was marked for deletion, so that it can be restored as it was. */
  archived_before: boolean | null
  issues_access_level: FeatureLevel
  repository_access_level: FeatureLevel
  merge_requests_access_level: FeatureLevel
  forking_access_level: FeatureLevel
  builds_access_level: FeatureLevel
  wiki_access_level: FeatureLevel
  snippets_access_level: FeatureLevel
  container_registry_access_level: FeatureLevel
  shared_runners_enabled: boolean
  lfs_enabled: boolean
  public_jobs: boolean
  request_access_enabled: boolean
  resolve_outdated_diff_discussions: boolean
  printing_merge_request_link_enabled: boolean
  only_allow_merge_if_pipeline_succeeds: boolean
  only_allow_merge_if_all_discussions_are_resolved: boolean
  merge_method: 'merge' | 'rebase_merge' | 'ff'
  /** With placeholders such as `%{title}`; null for the default message. */
  merge_commit_template: string | null
  squash_commit_template: string | null
  suggestion_commit_message: string | null
  squash_option: Generated<'never' | 'always' | 'default_on' | 'default_off'>
  remove_source_branch_after_merge: Generated<boolean>
  /** Whether every status check of a request must have passed before it is merged. */
  only_allow_merge_if_all_status_checks_passed: Generated<boolean>
  /** Whether pipelines of merge requests build the result of merging. */
  merge_pipelines_enabled: Generated<boolean>
  /** Whether requests are merged by the queue of their target branch. */
  merge_trains_enabled: Generated<boolean>
  /** Whether everybody who may merge may also do so past the queue, and not only maintainers. */
  merge_trains_skip_train_allowed: Generated<boolean>
  /** Pipelines of a queue that run at the same time. */
  max_pipelines_per_merge_train: Generated<number>
  /** Requests that one pipeline tests together where more wait than can be tested at the same time. */
  merge_train_batch_size: Generated<number>
  ci_config_path: string | null
  /** The timeout for jobs that set none. */
  build_timeout_s: Generated<number>
  /** An RE2 regular expression that finds the coverage in traces. */
  build_coverage_regex: string | null
  build_git_strategy: Generated<'fetch' | 'clone'>
  /** 0 for the whole history; null for the default of new projects. */
  ci_default_git_depth: number | null
  auto_cancel_pending_pipelines: Generated<'enabled' | 'disabled'>
  keep_latest_artifact: Generated<boolean>
  /** Whether job tokens of other projects need permission to access this one. */
  job_token_scope_enabled: Generated<boolean>
  group_runners_enabled: Generated<boolean>
  /** Sealed. */
  runners_token: string
  /** Null for a row of an earlier version whose token has not been sealed yet. */
  runners_token_digest: string | null
  star_count: number
  forks_count: number
  open_issues_count: number
  commit_count: number
  /** Pushes and commits so far, used to schedule housekeeping. */
  push_count: Generated<number>
  /** In bytes. */
  repository_size: number
  /** Size of the wiki repository in bytes. */
  wiki_size: Generated<number>
  /** Total size of the snippet files in bytes. */
  snippets_size: Generated<number>
  /** Total size of the large files in bytes. */
  lfs_objects_size: Generated<number>
  /** Path of the README at the tip of the default branch. */
  readme_path: string | null
  avatar_key: string | null
  avatar_name: string | null
  /** The project that it was forked from; null for others, and once that project is deleted. */
  forked_from_id: number | null
  import_status: Generated<'none' | 'scheduled' | 'started' | 'finished' | 'failed'>
  import_error: string | null
  /** The URL it was imported from, without credentials. */
  import_url: string | null
  /** JSON (`ExternalTracker`): where its issues are, if elsewhere. */
  external_tracker: string | null
  /** The URL of its wiki, if elsewhere. */
  external_wiki_url: string | null
  created_at: Instant
  updated_at: Instant
  last_activity_at: Instant
}

export interface ProjectStarTable {
  project_id: number
  user_id: number
  created_at: Instant
}

/** Projects that a user shows first on their profile. */
export interface PinnedProjectTable {
  user_id: number
  project_id: number
  position: number
}

export type Project = Selectable<ProjectTable>
