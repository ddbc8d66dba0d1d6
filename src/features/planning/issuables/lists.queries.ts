/** SQL for lists of issues and merge requests: a fixed number of statements for a page, all but one of them cached until something is written. */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { cachedRows, directed, pageOfList } from '../../../db/list-cache.ts'
import { inTextIndex, wordsOf } from '../../../db/search.ts'
import type { Tables } from '../../../db/tables.ts'
import { haveAll } from './conditions.queries.ts'
import type { CommonFilter, ListScope } from './filter.ts'
import type { IssuableTable } from './kinds.ts'
import { type OrderValue, orderedBy } from './orders.queries.ts'

/** A list without an order: of rows alone, or of rows with their projects. */
export type Listed<T extends IssuableTable> = SelectQueryBuilder<Tables, T | 'projects', Record<never, never>>

type Projects<O> = SelectQueryBuilder<Tables, 'projects', O>

/** The parts that a kind has of its own for a page of its list. */
export interface Listing<T extends IssuableTable, R> {
  table: T
  /** The list, with words looked up in the index or in the texts. */
  matching: (by: 'index' | 'texts') => Listed<T>
  count: (list: Listed<T>) => Promise<number>
  order: OrderValue[]
  sort: 'asc' | 'desc' | undefined
  rowsOf: (db: Db, ids: number[]) => Promise<R[]>
  /** Whether PostgreSQL may keep the plan: its texts are few. */
  keepsPlan?: boolean
}

/** One page of it: at most two statements and those that count. */
export async function pageOfIssuables<T extends IssuableTable, R extends { id: number }>(
  db: Db,
  { table, matching, count, order, sort = 'desc', rowsOf, keepsPlan = false }: Listing<T, R>,
  page: PageOf,
): Promise<Found<R>> {
  const list = matching('index')
  if (page.keyset) return pageByKeyset(db, list, table, page, rowsOf)
  const total = await count(list)
  if (total <= page.offset) return { rows: [], total }
  const shown = isFoundSoon(total, page) ? matching('texts') : list
  const id = sql.ref<number>(`${table}.id`).as('id')
  const ids = (isReversed: boolean) => orderedBy(shown.select(id), table, order, directed(sort, isReversed), isReversed)
  return { rows: await pageOfList(db, ids, { ...page, total }, rowsOf, { keepsPlan }), total }
}

/** Many matches near either end: in the order of the list a page is full before the index has told them all. */
function isFoundSoon(total: number, { offset, limit }: PageOf): boolean {
  const passed = Math.min(offset, Math.max(total - offset - limit, 0)) + limit
  return total >= 500 && passed * 10 < total
}

/** For up to so many projects the rows are looked up one project after the other. */
const maxProjects = 200

/** The projects of a list, by `projectsIn`; null where they are too many to be named. One statement, cached. */
export async function fewProjects<R>(db: Db, scope: ListScope, projects: Projects<R>): Promise<R[] | null> {
  if (isOfEverything(scope)) return null
  const found = await cachedRows<R>(db, projects.limit(maxProjects + 1), { keepsPlan: true })
  return found.length > maxProjects ? null : found
}

function isOfEverything(scope: ListScope): scope is Record<never, never> {
  return !('project_id' in scope) && !('group_id' in scope)
}

/** The projects of the scope, of those that `isSeen` keeps. */
export function projectsIn(
  db: Db,
  scope: ListScope,
  { non_archived }: CommonFilter,
  isSeen: (eb: ExpressionBuilder<Tables, 'projects'>) => Expression<SqlBool>,
): Projects<Record<never, never>> {
  let query = db.selectFrom('projects').where(isSeen)
  if (non_archived) query = query.where('projects.archived', '=', false)
  if ('project_id' in scope) return query.where('projects.id', '=', scope.project_id)
  if (!('group_id' in scope)) return query
  return query.where('projects.namespace_id', 'in', (eb) =>
    eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', scope.group_id),
  )
}

/** Words are looked up in the index, or in the texts: those of somebody's own are few. */
export function withWords<T extends IssuableTable>(
  db: Db,
  list: Listed<T>,
  table: T,
  filter: CommonFilter,
  projectIds: number[] | null,
  by: 'index' | 'texts',
): Listed<T> {
  const words = wordsOf(filter.search ?? '')
  if (words.length === 0) return list
  const columns = filter.search_in ?? ['title', 'description']
  const either: IssuableTable = table
  const isPersonal = (filter.scope ?? 'all') !== 'all'
  const found = by === 'index' && (projectIds || !isPersonal) ? inTextIndex(db, either, words, columns, projectIds) : null
  return list.where(found ?? haveAll(table, words, columns))
}

export function isAmong(projectIds: number[], table: IssuableTable): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.project_id`)
  if (projectIds.length === 0) return sql<SqlBool>`1 = 0`
  return projectIds.length === 1 ? sql<SqlBool>`${column} = ${projectIds[0]}` : sql<SqlBool>`${column} in (${sql.join(projectIds)})`
}

/** Whether the counts that are kept for each project can tell how many they are: they know these fields of a filter. */
export function isCounted(filter: CommonFilter, fields: string[]): boolean {
  const known = [...fields, 'non_archived', 'scope', 'order_by', 'sort']
  const sent = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')
  return (filter.scope ?? 'all') === 'all' && sent.every(([name]) => known.includes(name))
}

export function idsOf(projectIds: number[]): RawBuilder<unknown> {
  // No project has the id 0.
  return projectIds.length === 0 ? sql`0` : sql.join(projectIds)
}
