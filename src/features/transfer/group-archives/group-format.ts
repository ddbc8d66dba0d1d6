/**
 * The format of group archives: a tar.gz of a GROUP_VERSION, a JSON Lines file for each table, the avatars, and the wikis as git bundles.
 * Projects are not in it: each has an archive of its own. Nor is what is secret: variables, tokens, webhooks.
 */
import { type Static, Type } from 'typebox'
import { memberLevels, visibilities } from '../../../access/levels.ts'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { badgeFields, Day, flag, Instant, labelFields, line, milestoneFields, number, personLine, text } from '../archive/archive.ts'

/** Archives of this and earlier versions can be read. */
export const formatVersion = 1

const title = Type.String({ minLength: 1, maxLength: 255 })
const when = { created_at: Instant, updated_at: Instant }
/** The number of a line in `groups`. */
const group = number

/** The schema of a line in each file below `tables/`, in the order in which they are read: a line only refers to lines before its own. */
export const tables = {
  groups: line({
    id: number,
    /** Null for the group that was exported, which is the first. */
    parent: nullable(number),
    name: title,
    path: title,
    description: text(255),
    visibility: oneOf(...visibilities),
    lfs_enabled: flag,
    request_access_enabled: flag,
    require_two_factor_authentication: flag,
    two_factor_grace_period: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  }),
  people: personLine,
  members: line({
    group,
    person: number,
    access_level: Type.Integer({ enum: memberLevels }),
    expires_at: nullable(Day),
    created_at: Instant,
  }),
  labels: line({ id: number, group, ...labelFields, ...when }),
  milestones: line({ group, ...milestoneFields, ...when }),
  boards: line({ id: number, group, name: title, hide_backlog_list: flag, hide_closed_list: flag, ...when }),
  board_lists: line({ board: number, label: number, position: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), ...when }),
  badges: line({ group, ...badgeFields }),
} as const
export type TableName = keyof typeof tables
export const tableNames = Object.keys(tables) as TableName[]
export type Line<T extends TableName> = Static<(typeof tables)[T]>
/** All lines but those of people. */
export type Lines = { [T in Exclude<TableName, 'people'>]: Array<Line<T>> }

/** All of it is written in one transaction. */
export const maxLines: Record<TableName, number> = {
  groups: 1_000,
  people: 50_000,
  members: 50_000,
  labels: 20_000,
  milestones: 20_000,
  boards: 1_000,
  board_lists: 20_000,
  badges: 10_000,
}

/** The content of a file in an archive; null for an unknown name. */
export function kindOf(
  name: string,
): { kind: 'version' } | { kind: 'table'; table: TableName } | { kind: 'avatar' | 'wiki'; group: number } | null {
  if (name === 'GROUP_VERSION') return { kind: 'version' }
  const [, table = ''] = /^tables\/(\w+)\.jsonl$/.exec(name) ?? []
  if (tableNames.includes(table as TableName)) return { kind: 'table', table: table as TableName }
  const [, avatar] = /^avatars\/([1-9][0-9]{0,14})$/.exec(name) ?? []
  if (avatar !== undefined) return { kind: 'avatar', group: Number(avatar) }
  const [, wiki] = /^wikis\/([1-9][0-9]{0,14})\.bundle$/.exec(name) ?? []
  return wiki === undefined ? null : { kind: 'wiki', group: Number(wiki) }
}
