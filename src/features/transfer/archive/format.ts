/**
 * The format of project archives: a tar.gz of a VERSION, the project's settings, a JSON Lines file for each table, the repository
 * as a git bundle, and the bytes of avatar, uploads and large files. A new table needs a new file and a new version.
 */
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type FeatureLevels, featureLevels, projectFeatures } from '../../../access/features.ts'
import { visibilities } from '../../../access/levels.ts'
import type { FeatureLevel } from '../../../db/tables.ts'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { ciSettings, ciTables } from './ci-format.ts'
import { Day, flag, Instant, line, longText, number, Oid, Person, refName, text, Url } from './format-words.ts'
import { type PlanningTable, planningTables } from './planning-format.ts'
import { reviewSettings } from './review-format.ts'

/** Archives of this and earlier versions can be read. */
export const formatVersion = 7

/** Maximum size of an uploaded archive. */
export const maxArchive_bytes = 5 * 1024 ** 3

/** Maximum size of a line of a table: the longest text with every character escaped. */
export const maxLine_bytes = 8 * 1024 * 1024

/** Maximum size of the project's settings. */
export const maxSettings_bytes = 1024 * 1024

/** Boolean settings of a project. */
export const flags = [
  'archived',
  'issues_enabled',
  'merge_requests_enabled',
  'jobs_enabled',
  'wiki_enabled',
  'snippets_enabled',
  'container_registry_enabled',
  'shared_runners_enabled',
  'lfs_enabled',
  'public_jobs',
  'request_access_enabled',
  'resolve_outdated_diff_discussions',
  'printing_merge_request_link_enabled',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
] as const

export const ProjectSettings = line({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  path: Type.String({ minLength: 1, maxLength: 255 }),
  description: nullable(text(2_000)),
  visibility: oneOf(...visibilities),
  default_branch: nullable(refName),
  ...(Object.fromEntries(flags.map((name) => [name, flag])) as Record<(typeof flags)[number], typeof flag>),
  merge_method: oneOf('merge', 'rebase_merge', 'ff'),
  /** From version 4 on. */
  ...reviewSettings,
  /** From version 5 on. */
  ...ciSettings,
  ci_config_path: nullable(text(255)),
  tag_list: Type.Array(text(255), { maxItems: 1_000 }),
  /** Missing in archives of version 1, which only have the switches. */
  feature_levels: Type.Optional(
    line(
      Object.fromEntries(projectFeatures.map((feature) => [`${feature}_access_level`, oneOf(...featureLevels)])) as Record<
        keyof FeatureLevels,
        ReturnType<typeof oneOf<FeatureLevel>>
      >,
    ),
  ),
  avatar_name: nullable(Type.String({ pattern: '^[a-zA-Z0-9_-]{1,100}\\.[a-z]{1,5}$' })),
  created_at: Instant,
  updated_at: Instant,
  last_activity_at: Instant,
})
export type ProjectSettings = Static<typeof ProjectSettings>

const levels = (...some: number[]) => Type.Integer({ enum: some })
const branchLevel = levels(0, 30, 40)

export const personLine = line({
  id: number,
  username: text(255),
  name: text(255),
  /** Only for members, in archives for administrators. */
  email: nullable(text(255)),
})
export const badgeFields = { link_url: Url, image_url: Url, created_at: Instant }

/** The schema of a line in each file below `tables/`, in the order of the files. */
export const tables = {
  people: personLine,
  members: line({ person: number, access_level: levels(10, 20, 30, 40, 50), expires_at: nullable(Day), created_at: Instant }),
  protected_branches: line({
    name: refName,
    push_level: branchLevel,
    merge_level: branchLevel,
    /** From version 2 on. */
    allow_force_push: Type.Optional(flag),
    updated_at: Instant,
  }),
  protected_tags: line({ name: refName, create_level: branchLevel, updated_at: Instant }),
  releases: line({
    tag_name: refName,
    description: longText,
    created_at: Instant,
    updated_at: Instant,
    /** From version 2 on. */
    id: Type.Optional(number),
    name: Type.Optional(nullable(text(255))),
    released_at: Type.Optional(Instant),
    person: Type.Optional(Person),
  }),
  release_links: line({
    /** The id of a line in `releases`. */
    release: number,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    url: Type.String({ pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://[!-~]+$', maxLength: 2_048 }),
    filepath: nullable(Type.String({ pattern: '^(?:/(?!\\.+(?:/|$))[A-Za-z0-9_.-]+)+$', maxLength: 128 })),
    link_type: oneOf('other', 'runbook', 'image', 'package'),
    created_at: Instant,
  }),
  badges: line(badgeFields),
  /** Before version 4. Later versions have notes instead. */
  commit_comments: line({
    commit_oid: Oid,
    person: Person,
    note: longText,
    path: nullable(text(4_096)),
    line: nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    line_type: nullable(oneOf('new', 'old')),
    created_at: Instant,
  }),
  ...ciTables,
  uploads: line({
    secret: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    filename: Type.String({ minLength: 1, maxLength: 255 }),
    size: number,
    person: Person,
    created_at: Instant,
  }),
  ...planningTables,
}
export type TableName = keyof typeof tables
const tableNames = Object.keys(tables) as TableName[]
export type Line<T extends TableName> = Static<(typeof tables)[T]>

/** Limits for tables of which something is kept in memory for each line. */
export const maxLines: Partial<Record<TableName, number>> = {
  people: 200_000,
  pipelines: 1_000_000,
  releases: 200_000,
  labels: 100_000,
  milestones: 100_000,
  issues: 1_000_000,
  merge_requests: 1_000_000,
  merge_request_versions: 5_000_000,
  snippets: 1_000_000,
  notes: 5_000_000,
  boards: 10_000,
}

/** The tables whose lines are rows with a project id, and the column of each that refers to a person. */
export const rowTables = {
  members: 'user_id',
  protected_branches: null,
  protected_tags: null,
  releases: 'author_id',
  release_links: null,
  badges: null,
  pipelines: 'user_id',
  commit_statuses: 'author_id',
  uploads: 'user_id',
} as const satisfies Record<Exclude<TableName, 'people' | 'commit_comments' | PlanningTable>, 'user_id' | 'author_id' | null>
export type RowTable = keyof typeof rowTables
export const rowTableNames = Object.keys(rowTables) as RowTable[]

/** The content of a file in an archive; null for an unknown name. */
export function kindOf(
  name: string,
):
  | { kind: 'version' | 'project' | 'repository' | 'wiki' | 'avatar' }
  | { kind: 'table'; table: TableName }
  | { kind: 'upload' | 'lfs'; key: string }
  | null {
  if (name === 'VERSION') return { kind: 'version' }
  if (name === 'project.json') return { kind: 'project' }
  if (name === 'repository.bundle') return { kind: 'repository' }
  if (name === 'wiki.bundle') return { kind: 'wiki' }
  if (name === 'avatar') return { kind: 'avatar' }
  const [, table = ''] = /^tables\/(\w+)\.jsonl$/.exec(name) ?? []
  if (tableNames.includes(table as TableName)) return { kind: 'table', table: table as TableName }
  const [, secret] = /^uploads\/([0-9a-f]{32})$/.exec(name) ?? []
  if (secret !== undefined) return { kind: 'upload', key: secret }
  const [, oid] = /^lfs\/([0-9a-f]{64})$/.exec(name) ?? []
  return oid === undefined ? null : { kind: 'lfs', key: oid }
}

const readers = new Map<TObject, { Check: (value: unknown) => boolean }>()

/** Whether a value matches the schema. Text with a NUL never does: PostgreSQL can't store it. */
export function fits<T extends TObject>(schema: T, value: unknown): value is Static<T> {
  let compiled = readers.get(schema)
  if (!compiled) {
    compiled = Compile(schema)
    readers.set(schema, compiled)
  }
  return (
    compiled.Check(value) &&
    !Object.values(value as object)
      .flat()
      .some(hasNul)
  )
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0')
}
