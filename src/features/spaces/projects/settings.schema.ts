/** What a caller may set of a project. */
import { Type } from 'typebox'
import { visibilities } from '../../../access/levels.ts'
import { File, nullable, oneOf, text } from '../../../http/schema.ts'

const flag = Type.Optional(Type.Boolean())

/** When they create it, and later. */
export const projectSettings = {
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  default_branch: Type.Optional(text(255)),
  description: Type.Optional(nullable(Type.String())),
  visibility: Type.Optional(oneOf(...visibilities)),
  issues_enabled: flag,
  merge_requests_enabled: flag,
  jobs_enabled: flag,
  wiki_enabled: flag,
  snippets_enabled: flag,
  container_registry_enabled: flag,
  shared_runners_enabled: flag,
  lfs_enabled: flag,
  public_jobs: flag,
  public_builds: Type.Optional(Type.Boolean({ description: 'The same as public_jobs' })),
  request_access_enabled: flag,
  resolve_outdated_diff_discussions: flag,
  printing_merge_request_link_enabled: flag,
  only_allow_merge_if_pipeline_succeeds: flag,
  only_allow_merge_if_all_discussions_are_resolved: flag,
  merge_method: Type.Optional(oneOf('merge', 'rebase_merge', 'ff')),
  ci_config_path: Type.Optional(nullable(Type.String())),
  tag_list: Type.Optional(nullable(Type.Array(text(2_000), { maxItems: 100, description: 'Or one text, with commas between the tags' }))),
  avatar: Type.Optional(nullable(File)),
}
