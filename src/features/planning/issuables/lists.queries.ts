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

/** An unordered list: of rows only, or of rows with their projects. */
export type Listed<T extends IssuableTable> = SelectQueryBuilder<Tables, T | 'projects', Record<never, never>>

type Projects<O> = SelectQueryBuilder<Tables, 'projects', O>

/** The parts of a list page that depend on the kind. */
export interface Listing<T extends IssuableTable, R> {
  table: T
  /** The list, with words searched in the index or in the texts. */
  matching: (by: 'index' | 'texts') => Listed<T>
  count: (list: Listed<T>) => Promise<number>
  order: OrderValue[]
  sort: 'asc' | 'desc' | undefined
  rowsOf: (db: Db, ids: number[]) => Promise<R[]>
  /** Whether PostgreSQL may keep the plan, because there are few such statements. */
  keepsPlan?: boolean
}

/** One page: at most two statements, and those that count. */
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

/** With many matches near the page, scanning in list order fills a page before the index has returned all matches. */
function isFoundSoon(total: number, { offset, limit }: PageOf): boolean {
  const passed = Math.min(offset, Math.max(total - offset - limit, 0)) + limit
  return total >= 500 && passed * 10 < total
}

/** Up to this number of projects, rows are looked up project by project. */
const maxProjects = 200

/** The ids of the projects of a list, from `projectsIn`; null if there are too many. One statement, cached. */
export async function fewProjects<R>(db: Db, scope: ListScope, projects: Projects<R>): Promise<R[] | null> {
  if (isOfEverything(scope)) return null
  const found = await cachedRows<R>(db, projects.limit(maxProjects + 1), { keepsPlan: true })
  return found.length > maxProjects ? null : found
}

function isOfEverything(scope: ListScope): scope is Record<never, never> {
  return !('project_id' in scope) && !('group_id' in scope)
}

/** The projects of the scope that satisfy `isSeen`. */
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

/** Words are searched in the index; or in the texts, if the list only has rows of one user, which are few. */
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

/** Whether the counts stored per project are enough for the total: they only cover these fields of a filter. */
export function isCounted(filter: CommonFilter, fields: string[]): boolean {
  const known = [...fields, 'non_archived', 'scope', 'order_by', 'sort']
  const sent = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')
  return (filter.scope ?? 'all') === 'all' && sent.every(([name]) => known.includes(name))
}

export function idsOf(projectIds: number[]): RawBuilder<unknown> {
  // No project has the id 0.
  return projectIds.length === 0 ? sql`0` : sql.join(projectIds)
}
