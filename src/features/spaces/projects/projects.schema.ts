/** Projects (spec 2.2): the simple form, and the full one; and the parameters of every list of them. */
import { type TSchema, Type } from 'typebox'
import { type FeatureLevels, featureLevels, projectFeatures } from '../../../access/features.ts'
import { memberLevels, visibilities } from '../../../access/levels.ts'
import { Day, File, Id, Instant, nullable, Off, oneOf, oneOfDefault, resource, text as textUpTo } from '../../../http/parameters/schema.ts'
import { CustomAttributes, customAttributesFilter } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { StorageLimits } from '../../storage/quotas/quotas.schema.ts'

const text = Type.String()
const flag = Type.Boolean()
const count = Type.Integer()

export const ProjectSimple = resource('ProjectSimple', {
  id: count,
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: Instant,
  default_branch: nullable(text),
  tag_list: Type.Array(text),
  topics: Type.Array(text),
  ssh_url_to_repo: text,
  http_url_to_repo: text,
  web_url: text,
  readme_url: nullable(text),
  avatar_url: nullable(text),
  star_count: count,
  forks_count: count,
  last_activity_at: Instant,
  namespace: Type.Object({
    id: count,
    name: text,
    path: text,
    kind: text,
    full_path: text,
    parent_id: nullable(count),
    avatar_url: nullable(text),
    web_url: text,
  }),
  /** Only if an administrator asked for them. */
  custom_attributes: Type.Optional(CustomAttributes),
})

const Links = resource('ProjectLinks', {
  self: text,
  issues: Type.Optional(text),
  merge_requests: Type.Optional(text),
  repo_branches: text,
  labels: text,
  events: text,
  members: text,
})

const Owner = resource('ProjectOwner', {
  id: count,
  name: text,
  username: text,
  state: text,
  avatar_url: text,
  web_url: text,
  created_at: Instant,
})

/** Repeats a schema for the level of each feature, by column name. */
function ofEachFeature<T extends TSchema>(schema: T): Record<keyof FeatureLevels, T> {
  return Object.fromEntries(projectFeatures.map((feature) => [`${feature}_access_level`, schema])) as Record<keyof FeatureLevels, T>
}

const messageTemplate = Type.Optional(nullable(Type.String({ description: 'With placeholders such as %{title}' })))

const Access = nullable(Type.Object({ access_level: count, notification_level: count }))

const full = {
  _links: Links,
  archived: flag,
  marked_for_deletion_at: nullable(Day),
  marked_for_deletion_on: nullable(Day),
  visibility: text,
  owner: Type.Optional(Owner),
  resolve_outdated_diff_discussions: flag,
  container_registry_enabled: flag,
  issues_enabled: flag,
  merge_requests_enabled: flag,
  wiki_enabled: flag,
  jobs_enabled: flag,
  snippets_enabled: flag,
  ...ofEachFeature(oneOf(...featureLevels)),
  shared_runners_enabled: flag,
  lfs_enabled: flag,
  creator_id: nullable(count),
  /** Present if it is a fork of one that the caller can see. */
  forked_from_project: Type.Optional(ProjectSimple),
  import_status: text,
  import_error: Type.Optional(nullable(text)),
  open_issues_count: Type.Optional(count),
  runners_token: Type.Optional(text),
  public_jobs: flag,
  ci_config_path: nullable(text),
  build_timeout: Type.Integer({ description: 'Seconds' }),
  build_git_strategy: text,
  build_coverage_regex: nullable(text),
  auto_cancel_pending_pipelines: text,
  ci_default_git_depth: nullable(count),
  group_runners_enabled: flag,
  keep_latest_artifact: flag,
  ci_job_token_scope_enabled: flag,
  shared_with_groups: Type.Array(Type.Object({ group_id: count, group_name: text, group_access_level: count, expires_at: nullable(text) })),
  only_allow_merge_if_pipeline_succeeds: flag,
  request_access_enabled: flag,
  only_allow_merge_if_all_discussions_are_resolved: flag,
  only_allow_merge_if_all_status_checks_passed: flag,
  printing_merge_request_link_enabled: flag,
  merge_method: text,
  squash_option: text,
  merge_commit_template: nullable(text),
  squash_commit_template: nullable(text),
  suggestion_commit_message: nullable(text),
  remove_source_branch_after_merge: flag,
  merge_pipelines_enabled: flag,
  merge_trains_enabled: flag,
  merge_trains_skip_train_allowed: flag,
  max_pipelines_per_merge_train: count,
  merge_train_batch_size: count,
  statistics: Type.Optional(
    Type.Object({
      commit_count: count,
      storage_size: count,
      repository_size: count,
      wiki_size: count,
      snippets_size: count,
      lfs_objects_size: count,
      job_artifacts_size: count,
      packages_size: count,
      uploads_size: count,
      terraform_states_size: count,
      secure_files_size: count,
    }),
  ),
  storage_limits: StorageLimits,
  permissions: Type.Optional(Type.Object({ project_access: Access, group_access: Access })),
}

export const Project = resource('Project', { ...ProjectSimple.properties, ...full })

/** Either form, depending on the request and the caller's rights. */
export const ProjectAny = resource('ProjectSummary', { ...ProjectSimple.properties, ...Type.Partial(Type.Object(full)).properties })

/** Each word is a condition of its own, and SQLite limits their number to less than a thousand. */
const longestSearch = 1_000

const noChecksums = 'Without effect: no checksums are kept that could fail'

/** The parameters of every list of projects. */
export const projectFilters = {
  archived: Type.Optional(flag),
  visibility: Type.Optional(oneOf(...visibilities)),
  order_by: oneOfDefault('created_at', 'id', 'name', 'path', 'updated_at', 'last_activity_at'),
  sort: oneOfDefault('desc', 'asc'),
  search: Type.Optional(Type.String({ maxLength: longestSearch, description: 'Words of a name, path or description' })),
  simple: Off,
  owned: Off,
  membership: Off,
  starred: Off,
  statistics: Off,
  with_issues_enabled: Off,
  with_merge_requests_enabled: Off,
  wiki_checksum_failed: Type.Boolean({ default: false, description: noChecksums }),
  repository_checksum_failed: Type.Boolean({ default: false, description: noChecksums }),
  min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
  topic: Type.Optional(Type.String({ maxLength: longestSearch, description: 'Names of topics, with commas between them: all of them' })),
  topic_id: Type.Optional(Id),
  id_after: Type.Optional(Id),
  id_before: Type.Optional(Id),
  last_activity_after: Type.Optional(Instant),
  last_activity_before: Type.Optional(Instant),
  ...customAttributesFilter,
}

const optionalFlag = Type.Optional(Type.Boolean())
const topicNames = nullable(Type.Array(textUpTo(2_000), { maxItems: 100, description: 'Or a comma-separated string' }))

/** Parameters that may be set when a project is created, and changed later. */
export const projectParameters = {
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  default_branch: Type.Optional(textUpTo(255)),
  description: Type.Optional(nullable(Type.String())),
  visibility: Type.Optional(oneOf(...visibilities)),
  issues_enabled: optionalFlag,
  merge_requests_enabled: optionalFlag,
  jobs_enabled: optionalFlag,
  wiki_enabled: optionalFlag,
  snippets_enabled: optionalFlag,
  container_registry_enabled: optionalFlag,
  ...ofEachFeature(Type.Optional(oneOf(...featureLevels))),
  shared_runners_enabled: optionalFlag,
  lfs_enabled: optionalFlag,
  public_jobs: optionalFlag,
  public_builds: Type.Optional(Type.Boolean({ description: 'Alias of public_jobs' })),
  request_access_enabled: optionalFlag,
  resolve_outdated_diff_discussions: optionalFlag,
  printing_merge_request_link_enabled: optionalFlag,
  only_allow_merge_if_pipeline_succeeds: optionalFlag,
  only_allow_merge_if_all_discussions_are_resolved: optionalFlag,
  only_allow_merge_if_all_status_checks_passed: optionalFlag,
  merge_method: Type.Optional(oneOf('merge', 'rebase_merge', 'ff')),
  squash_option: Type.Optional(oneOf('never', 'always', 'default_on', 'default_off')),
  merge_commit_template: messageTemplate,
  squash_commit_template: messageTemplate,
  suggestion_commit_message: messageTemplate,
  remove_source_branch_after_merge: optionalFlag,
  merge_pipelines_enabled: optionalFlag,
  merge_trains_enabled: optionalFlag,
  merge_trains_skip_train_allowed: optionalFlag,
  max_pipelines_per_merge_train: Type.Optional(Type.Integer({ description: 'From 1 to 20' })),
  merge_train_batch_size: Type.Optional(Type.Integer({ description: 'Requests that one pipeline of a merge train tests: up to 32' })),
  ci_config_path: Type.Optional(nullable(Type.String())),
  build_timeout: Type.Optional(Type.Integer({ description: 'Seconds after which a job is ended: from 600 to 2,592,000' })),
  build_git_strategy: Type.Optional(oneOf('fetch', 'clone')),
  build_coverage_regex: Type.Optional(nullable(Type.String({ description: 'Finds the coverage in the logs of jobs' }))),
  auto_cancel_pending_pipelines: Type.Optional(oneOf('enabled', 'disabled')),
  ci_default_git_depth: Type.Optional(nullable(Type.Integer({ description: 'Commits that jobs fetch, up to 1,000; 0 for all' }))),
  group_runners_enabled: optionalFlag,
  keep_latest_artifact: optionalFlag,
  topics: Type.Optional(topicNames),
  tag_list: Type.Optional(topicNames),
  avatar: Type.Optional(nullable(File)),
}
