/** The columns of a project: what a caller may choose of them, and what they are where nobody does. */
import { randomBytes } from 'node:crypto'
import type { ProjectTable, Visibility } from '../../../db/tables.ts'
import type { Upload } from '../../../http/upload.ts'

/** The settings of a project that a caller may choose. */
export type ProjectSettings = {
  [K in Flag]?: boolean | undefined
} & {
  /** Null for none any more. */
  description?: string | null | undefined
  visibility?: Visibility | undefined
  merge_method?: ProjectTable['merge_method'] | undefined
  ci_config_path?: string | null | undefined
  /** Null for none any more. In one of them several may stand, with commas between them. */
  tag_list?: string[] | null | undefined
  /** What clients call `public_jobs` when they write it. */
  public_builds?: boolean | undefined
}

/** What a caller may choose of a project, for a new one and later. */
export interface NewProject extends ProjectSettings {
  name?: string | undefined
  path?: string | undefined
  default_branch?: string | undefined
  /** Null for none any more. */
  avatar?: Upload | null | undefined
}

type Flag = {
  [K in keyof ProjectTable]: ProjectTable[K] extends boolean ? K : never
}[keyof ProjectTable]

/** The columns of the settings that were chosen, and no others. */
export function chosen({ tag_list, public_builds, ...columns }: ProjectSettings) {
  const settings = { ...columns, public_jobs: columns.public_jobs ?? public_builds }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  return { ...given, ...(tag_list !== undefined && { tag_list: JSON.stringify(tagsOf(tag_list ?? [])) }) }
}

/** In their order, each once: two that differ in case alone are one, written as it came first. */
export function tagsOf(sent: string[]): string[] {
  const tags = new Map<string, string>()
  for (const tag of sent.flatMap((one) => one.split(',')).map((one) => one.trim())) {
    const key = tag.toLowerCase()
    if (tag !== '' && !tags.has(key)) tags.set(key, tag)
  }
  return [...tags.values()].sort()
}

/** What a new project begins with, besides the input and the defaults of the instance. */
export function blank() {
  return {
    description: null,
    default_branch: null,
    archived: false,
    issues_enabled: true,
    merge_requests_enabled: true,
    jobs_enabled: true,
    wiki_enabled: true,
    snippets_enabled: true,
    container_registry_enabled: false,
    lfs_enabled: true,
    public_jobs: true,
    request_access_enabled: false,
    resolve_outdated_diff_discussions: false,
    printing_merge_request_link_enabled: true,
    only_allow_merge_if_pipeline_succeeds: false,
    only_allow_merge_if_all_discussions_are_resolved: false,
    merge_method: 'merge' as const,
    ci_config_path: null,
    tag_list: '[]',
    runners_token: randomBytes(15).toString('base64url'),
    star_count: 0,
    forks_count: 0,
    open_issues_count: 0,
    commit_count: 0,
    repository_size: 0,
    readme_path: null,
  }
}
