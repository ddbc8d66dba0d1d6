/** The columns of a project that callers can set, and their defaults. */
import type { FeatureLevels } from '../../../access/features.ts'
import { newRegistrationToken, storedToken } from '../../../access/runners/registration-tokens.ts'
import type { App } from '../../../app.ts'
import type { FeatureLevel, ProjectTable, Visibility } from '../../../db/tables.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { levelsFrom, newLevels, type Switch, withoutFeatures } from './feature-levels.ts'

/** The settings of a project that a caller may choose. */
export type ProjectSettings = {
  [K in Flag | Switch]?: boolean | undefined
} & { [K in keyof FeatureLevels]?: FeatureLevel | undefined } & {
  /** Null removes it. */
  description?: string | null | undefined
  visibility?: Visibility | undefined
  merge_method?: ProjectTable['merge_method'] | undefined
  squash_option?: 'never' | 'always' | 'default_on' | 'default_off' | undefined
  /** Null for the default message. */
  merge_commit_template?: string | null | undefined
  squash_commit_template?: string | null | undefined
  suggestion_commit_message?: string | null | undefined
  remove_source_branch_after_merge?: boolean | undefined
  only_allow_merge_if_all_status_checks_passed?: boolean | undefined
  merge_pipelines_enabled?: boolean | undefined
  merge_trains_enabled?: boolean | undefined
  merge_trains_skip_train_allowed?: boolean | undefined
  max_pipelines_per_merge_train?: number | undefined
  merge_train_batch_size?: number | undefined
  ci_config_path?: string | null | undefined
  /** In seconds: `build_timeout_s`. */
  build_timeout?: number | undefined
  build_git_strategy?: 'fetch' | 'clone' | undefined
  build_coverage_regex?: string | null | undefined
  auto_cancel_pending_pipelines?: 'enabled' | 'disabled' | undefined
  ci_default_git_depth?: number | null | undefined
  group_runners_enabled?: boolean | undefined
  keep_latest_artifact?: boolean | undefined
  /** Null removes them. An element may contain several, separated by commas. */
  topics?: string[] | null | undefined
  /** The name of `topics` in earlier versions. */
  tag_list?: string[] | null | undefined
  /** Called `public_jobs` in requests. */
  public_builds?: boolean | undefined
}

/** Settings of a project that callers can set at creation and later. */
export interface NewProject extends ProjectSettings {
  name?: string | undefined
  path?: string | undefined
  default_branch?: string | undefined
  /** Null removes it. */
  avatar?: Upload | null | undefined
}

type Flag = {
  [K in keyof ProjectTable]: ProjectTable[K] extends boolean ? K : never
}[keyof ProjectTable]

/** The columns of the settings that were sent, and no others. `current` is the current project, or the defaults of a new one. */
export function chosen(
  { tag_list, topics, public_builds, build_timeout: build_timeout_s, ...sent }: ProjectSettings,
  current: FeatureLevels,
) {
  const settings = {
    ...withoutFeatures(sent),
    build_timeout_s,
    public_jobs: sent.public_jobs ?? public_builds,
    ...levelsFrom(sent, current),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** The topics that were sent, under either name; undefined if there are none. */
export function sentTopics({ topics, tag_list }: Pick<ProjectSettings, 'topics' | 'tag_list'>): string[] | undefined {
  const sent = topics === undefined ? tag_list : topics
  return sent === undefined ? undefined : topicsOf(sent ?? [])
}

/** In order, without duplicates: two that differ only in case are one, and the first spelling is kept. */
export function topicsOf(sent: string[]): string[] {
  const tags = new Map<string, string>()
  for (const tag of sent.flatMap((one) => one.split(',')).map((one) => one.trim())) {
    const key = tag.toLowerCase()
    if (tag !== '' && !tags.has(key)) tags.set(key, tag)
  }
  return [...tags.values()].sort()
}

/** Initial values of a new project besides the input and the defaults of the instance. */
export function blank(secrets: App['secrets']) {
  const { sealed, digest } = storedToken(secrets, 'project', newRegistrationToken())
  return {
    description: null,
    default_branch: null,
    archived: false,
    ...newLevels,
    lfs_enabled: true,
    public_jobs: true,
    request_access_enabled: false,
    resolve_outdated_diff_discussions: false,
    printing_merge_request_link_enabled: true,
    only_allow_merge_if_pipeline_succeeds: false,
    only_allow_merge_if_all_discussions_are_resolved: false,
    merge_method: 'merge' as const,
    ci_config_path: null,
    runners_token: sealed,
    runners_token_digest: digest,
    star_count: 0,
    forks_count: 0,
    open_issues_count: 0,
    commit_count: 0,
    repository_size: 0,
    readme_path: null,
  }
}
