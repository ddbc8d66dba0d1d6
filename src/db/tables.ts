/**
 * The shape of every table. Instants are ISO 8601 text in UTC with milliseconds, dates `YYYY-MM-DD`, on both engines:
 * they sort as they read and go to the API as they are.
 */
import type { Generated, Selectable } from 'kysely'
import type { BackupTable, JobTable, SettingTable } from './tables/instance.ts'
import type {
  AccessRequestTable,
  BadgeTable,
  BroadcastMessageTable,
  CustomAttributeTable,
  EmailTable,
  GpgKeyTable,
  GroupShareTable,
  ProjectExportTable,
  ProjectImportTable,
  ProjectStarTable,
  SessionTable,
  SignInFailureTable,
  UploadTable,
  UserStatusTable,
} from './tables/people.ts'
import type {
  CommitCommentTable,
  CommitStatusTable,
  EventTable,
  PipelineTable,
  ProtectedBranchTable,
  ProtectedTagTable,
  PushIntentTable,
  ReleaseTable,
  RepositoryFactTable,
} from './tables/repository.ts'
import type {
  DeployKeyProjectTable,
  LfsLinkTable,
  LfsLockTable,
  LfsObjectTable,
  LfsTokenTable,
  SshKeyTable,
  UnreferencedObjectTable,
} from './tables/ssh-and-lfs.ts'

export type * from './tables/instance.ts'
export type * from './tables/people.ts'
export type * from './tables/repository.ts'
export type * from './tables/ssh-and-lfs.ts'

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
  /** A new address that nobody has confirmed yet. */
  unconfirmed_email: string | null
  /** From then on the password is good for nothing but choosing another at sign-in. */
  password_expires_at: Instant | null
  /** SHA-256 of the terms the user has accepted, in hexadecimal. */
  accepted_terms: string | null
  /** The one ghost has what deleted users have left. */
  kind: Generated<'human' | 'ghost'>
  /** Where the avatar is in the objects store, and the name it was sent under. */
  avatar_key: string | null
  avatar_name: string | null
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
  /** Made by an administrator, and shown to him alone. */
  impersonation: Generated<boolean>
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
  avatar_key: string | null
  avatar_name: string | null
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

/** A path by which a project was found before it was renamed or moved. */
export interface RedirectTable {
  /** In lower case. */
  path_key: string
  project_id: number
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
  /** What its large files have together, in bytes. */
  lfs_objects_size: Generated<number>
  /** Path of the README at the tip of the default branch. */
  readme_path: string | null
  avatar_key: string | null
  avatar_name: string | null
  /** The project it is a fork of; null for others, and once that one is gone. */
  forked_from_id: number | null
  import_status: Generated<'none' | 'scheduled' | 'started' | 'finished' | 'failed'>
  import_error: string | null
  /** Where it was imported from, without credentials. */
  import_url: string | null
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
  /** Null as long as it is what it was made. */
  updated_at: Instant | null
}

export interface Tables {
  users: UserTable
  identities: IdentityTable
  access_tokens: AccessTokenTable
  namespaces: NamespaceTable
  namespace_ancestors: NamespaceAncestorTable
  routes: RouteTable
  redirects: RedirectTable
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
  ssh_keys: SshKeyTable
  deploy_key_projects: DeployKeyProjectTable
  unreferenced_objects: UnreferencedObjectTable
  lfs_objects: LfsObjectTable
  lfs_links: LfsLinkTable
  lfs_locks: LfsLockTable
  lfs_tokens: LfsTokenTable
  emails: EmailTable
  user_statuses: UserStatusTable
  gpg_keys: GpgKeyTable
  custom_attributes: CustomAttributeTable
  sessions: SessionTable
  sign_in_failures: SignInFailureTable
  project_stars: ProjectStarTable
  group_shares: GroupShareTable
  access_requests: AccessRequestTable
  badges: BadgeTable
  uploads: UploadTable
  broadcast_messages: BroadcastMessageTable
  project_exports: ProjectExportTable
  project_imports: ProjectImportTable
  backups: BackupTable
}

export type User = Selectable<UserTable>
export type Namespace = Selectable<NamespaceTable>
export type Project = Selectable<ProjectTable>
export type Job = Selectable<JobTable>
