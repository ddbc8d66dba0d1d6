/**
 * The shape of every table. Instants are ISO 8601 text in UTC with milliseconds, dates `YYYY-MM-DD`, on both engines:
 * they sort as they read and go to the API as they are.
 */
import type { Generated, Selectable } from 'kysely'

export type Visibility = 'private' | 'internal' | 'public'
export type Instant = string
export type Day = string

export interface UserTable {
  id: Generated<number>
  username: string
  /** `username` in lower case: unique, and what look-ups use. */
  username_key: string
  name: string
  email: string
  email_key: string
  state: 'active' | 'blocked'
  password_hash: string | null
  admin: boolean
  external: boolean
  private_profile: boolean
  can_create_group: boolean
  projects_limit: number
  bio: string | null
  location: string | null
  skype: string
  linkedin: string
  twitter: string
  website_url: string
  organization: string | null
  theme_id: number
  color_scheme_id: number
  confirmed_at: Instant | null
  current_sign_in_at: Instant | null
  last_sign_in_at: Instant | null
  last_activity_on: Day | null
  created_at: Instant
  updated_at: Instant
}

export interface IdentityTable {
  user_id: number
  provider: string
  extern_uid: string
}

export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  name: string
  /** SHA-256 of the token in hexadecimal; the token itself is shown once and never stored. */
  digest: string
  /** Names of scopes, parted by a space. */
  scopes: string
  expires_on: Day | null
  revoked: boolean
  created_at: Instant
  last_used_on: Day | null
}

export interface NamespaceTable {
  id: Generated<number>
  kind: 'user' | 'group'
  name: string
  path: string
  parent_id: number | null
  /** The user whose personal namespace this is; null for groups. */
  owner_id: number | null
  description: string
  visibility: Visibility
  lfs_enabled: boolean
  request_access_enabled: boolean
  created_at: Instant
  updated_at: Instant
}

/** The closure of `parent_id`: one row for a namespace and each of its ancestors, itself included. */
export interface NamespaceAncestorTable {
  namespace_id: number
  ancestor_id: number
}

/** Full paths of namespaces and projects: one key space, so that two of them can't take one path. */
export interface RouteTable {
  /** `path` in lower case. */
  path_key: string
  path: string
  namespace_id: number | null
  project_id: number | null
}

export interface ProjectTable {
  id: Generated<number>
  namespace_id: number
  creator_id: number | null
  name: string
  path: string
  description: string | null
  visibility: Visibility
  /** Null as long as the repository has no branch. */
  default_branch: string | null
  archived: boolean
  issues_enabled: boolean
  merge_requests_enabled: boolean
  jobs_enabled: boolean
  wiki_enabled: boolean
  snippets_enabled: boolean
  container_registry_enabled: boolean
  shared_runners_enabled: boolean
  lfs_enabled: boolean
  public_jobs: boolean
  request_access_enabled: boolean
  resolve_outdated_diff_discussions: boolean
  printing_merge_request_link_enabled: boolean
  only_allow_merge_if_pipeline_succeeds: boolean
  only_allow_merge_if_all_discussions_are_resolved: boolean
  merge_method: 'merge' | 'rebase_merge' | 'ff'
  ci_config_path: string | null
  /** A JSON array of strings, sorted. */
  tag_list: string
  runners_token: string
  star_count: number
  forks_count: number
  open_issues_count: number
  commit_count: number
  /** Pushes and commits taken so far: housekeeping may go by their number. */
  push_count: Generated<number>
  /** In bytes. */
  repository_size: number
  /** Path of the README at the tip of the default branch. */
  readme_path: string | null
  created_at: Instant
  updated_at: Instant
  last_activity_at: Instant
}

/** A member of a project or of a namespace: exactly one of the two ids is set. */
export interface MemberTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  user_id: number
  access_level: number
  expires_at: Day | null
  created_at: Instant
}

export interface JobTable {
  id: Generated<number>
  name: string
  payload: string
  state: 'ready' | 'dead'
  /** When it may run next; a claim moves it ahead, so that a crashed worker's job comes back. */
  run_at: Instant
  attempts: number
  last_error: string | null
  /** At most one ready job carries a given key: schedules and work that one later run covers. */
  unique_key: string | null
  created_at: Instant
}

/** A change of refs that was allowed and may have happened: gone again once its effects are recorded. */
export interface PushIntentTable {
  id: Generated<number>
  project_id: number
  user_id: number
  /** Which process carries it out: `host pid start`. */
  process: string
  /** A JSON array of RefChange. */
  changes: string
  created_at: Instant
}

/** What somebody did. A push has a row for each ref, without a target. */
export interface EventTable {
  id: Generated<number>
  project_id: number | null
  author_id: number
  action: 'pushed' | 'commented'
  target_type: string | null
  target_id: number | null
  /** Full name, `refs/heads/main`; null for what is no push. */
  ref: string | null
  /** Null for a ref that was created. */
  before_oid: string | null
  /** Null for a ref that was deleted. */
  after_oid: string | null
  /** Null until the queue has counted them. */
  commit_count: number | null
  commit_title: string | null
  created_at: Instant
}

/** `name` may hold wildcards. A level of 0 is nobody. */
export interface ProtectedBranchTable {
  id: Generated<number>
  project_id: number
  name: string
  push_level: number
  merge_level: number
  updated_at: Instant
}

export interface ProtectedTagTable {
  id: Generated<number>
  project_id: number
  name: string
  create_level: number
  updated_at: Instant
}

export interface ReleaseTable {
  id: Generated<number>
  project_id: number
  tag_name: string
  description: string
  created_at: Instant
  updated_at: Instant
}

export interface CommitCommentTable {
  id: Generated<number>
  project_id: number
  commit_oid: string
  author_id: number
  note: string
  /** Null, with line and type, for a comment on the commit as a whole. */
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
  created_at: Instant
}

export type PipelineStatus = 'created' | 'pending' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped'

export interface PipelineTable {
  id: Generated<number>
  project_id: number
  ref: string
  sha: string
  tag: boolean
  source: 'external'
  status: PipelineStatus
  user_id: number | null
  created_at: Instant
  updated_at: Instant
  started_at: Instant | null
  finished_at: Instant | null
}

export interface CommitStatusTable {
  id: Generated<number>
  project_id: number
  pipeline_id: number
  sha: string
  ref: string
  name: string
  stage: string
  status: 'pending' | 'running' | 'success' | 'failed' | 'canceled'
  target_url: string | null
  description: string | null
  coverage: number | null
  allow_failure: boolean
  author_id: number | null
  created_at: Instant
  started_at: Instant | null
  finished_at: Instant | null
}

/** What was last counted of a repository, and for which tip of its default branch. */
export interface RepositoryFactTable {
  project_id: number
  kind: 'contributors' | 'languages'
  /** A commit. While contributors are being counted, the commits from which all that is counted is reached, parted by spaces. */
  tip: string
  /** JSON, as its kind has it. */
  facts: string
}

/** Settings of the whole instance that differ from their defaults (spec 2.21), each as JSON. */
export interface SettingTable {
  name: string
  value: string
}

export interface Tables {
  users: UserTable
  identities: IdentityTable
  access_tokens: AccessTokenTable
  namespaces: NamespaceTable
  namespace_ancestors: NamespaceAncestorTable
  routes: RouteTable
  projects: ProjectTable
  members: MemberTable
  jobs: JobTable
  push_intents: PushIntentTable
  events: EventTable
  protected_branches: ProtectedBranchTable
  protected_tags: ProtectedTagTable
  releases: ReleaseTable
  commit_comments: CommitCommentTable
  pipelines: PipelineTable
  commit_statuses: CommitStatusTable
  repository_facts: RepositoryFactTable
  settings: SettingTable
}

export type User = Selectable<UserTable>
export type Namespace = Selectable<NamespaceTable>
export type Project = Selectable<ProjectTable>
export type Job = Selectable<JobTable>
export type PushIntent = Selectable<PushIntentTable>
export type ProtectedBranch = Selectable<ProtectedBranchTable>
export type ProtectedTag = Selectable<ProtectedTagTable>
export type Release = Selectable<ReleaseTable>
export type CommitComment = Selectable<CommitCommentTable>
export type Pipeline = Selectable<PipelineTable>
export type CommitStatus = Selectable<CommitStatusTable>
