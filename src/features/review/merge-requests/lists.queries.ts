/** SQL for lists of merge requests: a fixed number of statements for a page, all but one of them cached until something is written. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import { mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { cachedRows, directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { inTextIndex, wordsOf } from '../../../db/search.ts'
import type { MergeRequest, Tables } from '../../../db/tables.ts'
import {
  commonOrders,
  haveAll,
  type InIssues,
  type IssueIds,
  type IssueScope,
  idsOf,
  isAmong,
  isFoundSoon,
  mergeRequestTables,
  type OrderValue,
  orderedBy,
  sometimes,
} from '../../planning/issues/issues.ts'
import { conditionsOf } from './conditions.queries.ts'
import type { MergeRequestFilter, MergeRequestOrder } from './filter.ts'
import { mergeRequestsByIds } from './merge-requests.queries.ts'

/** The projects of a list; null where they are too many to be named. */
type Places = number[] | null

/** A list of merge requests without an order. */
type MergeRequests = SelectQueryBuilder<Tables, 'merge_requests', Record<never, never>>

type Ids = SelectQueryBuilder<Tables, 'merge_requests', { id: number }>

/** One page of the merge requests of a project, a group or everything that the viewer can see and that fit: at most four statements. */
export async function listMergeRequests(
  db: Db,
  caller: Viewer,
  scope: IssueScope,
  filter: MergeRequestFilter,
  page: PageOf,
): Promise<Found<MergeRequest>> {
  const places = await placesOf(db, caller, scope, filter)
  const viewer = places ? caller : await withMemberships(db, caller)
  const list = matching(db, viewer, scope, filter, places)
  if (page.keyset) return pageByKeyset(db, list, 'merge_requests', page, mergeRequestsByIds)
  const total = await totalIn(db, viewer, scope, filter, places)
  if (total <= page.offset) return { rows: [], total }
  const { order_by = 'created_at', sort = 'desc' } = filter
  const shown = isFoundSoon(total, page) ? matching(db, viewer, scope, filter, places, 'texts') : list
  const ids = (isReversed: boolean): Ids => {
    const unordered = shown.select('merge_requests.id') as unknown as IssueIds
    return orderedBy(unordered, mergeRequestTables, orders[order_by], directed(sort, isReversed), isReversed) as unknown as Ids
  }
  return { rows: await pageOfList(db, ids, { ...page, total }, mergeRequestsByIds), total }
}

const orders: Record<MergeRequestOrder, OrderValue[]> = {
  ...commonOrders(mergeRequestTables),
  merged_at: [sometimes(sql`merge_requests.merged_at`)],
}

/** How many of them there are in each state: at most five statements. */
export async function countMergeRequests(
  db: Db,
  caller: Viewer,
  scope: IssueScope,
  filter: MergeRequestFilter,
): Promise<Record<'opened' | 'merged' | 'closed', number>> {
  const places = await placesOf(db, caller, scope, filter)
  const viewer = places ? caller : await withMemberships(db, caller)
  const count = (state: MergeRequest['state']) => totalIn(db, viewer, scope, { ...filter, state }, places)
  const [opened, locked, merged, closed] = await Promise.all([count('opened'), count('locked'), count('merged'), count('closed')])
  return { opened: opened + locked, merged, closed }
}

/** Of so many projects the merge requests are looked up one project after the other. */
const maxPlaces = 200

async function placesOf(db: Db, viewer: Viewer, scope: IssueScope, filter: MergeRequestFilter): Promise<Places> {
  if (!('project_id' in scope) && !('group_id' in scope)) return null
  const query = projectsIn(db, viewer, scope, filter)
    .select('projects.id')
    .limit(maxPlaces + 1)
  const found = await cachedRows<{ id: number }>(db, query, { keepsPlan: true })
  return found.length > maxPlaces ? null : found.map(({ id }) => id)
}

/** The projects of the scope whose merge requests the viewer can see. */
function projectsIn(db: Db, viewer: Viewer, scope: IssueScope, { non_archived }: MergeRequestFilter) {
  let query = db.selectFrom('projects').where(mergeRequestsVisibleTo(viewer))
  if (non_archived) query = query.where('projects.archived', '=', false)
  if ('project_id' in scope) return query.where('projects.id', '=', scope.project_id)
  if (!('group_id' in scope)) return query
  return query.where('projects.namespace_id', 'in', (eb) =>
    eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', scope.group_id),
  )
}

/** Words are looked up in the index, or in the texts: those of somebody's own are few. */
function matching(
  db: Db,
  viewer: Viewer,
  scope: IssueScope,
  filter: MergeRequestFilter,
  places: Places,
  by: 'index' | 'texts' = 'index',
): MergeRequests {
  const words = wordsOf(filter.search ?? '')
  const columns = filter.search_in ?? ['title', 'description']
  const list = visible(db, viewer, scope, filter, places).where((eb) => eb.and(conditionsOf(eb, scope, filter, viewer?.id ?? 0)))
  if (words.length === 0) return list
  const isPersonal = (filter.scope ?? 'all') !== 'all'
  const found = by === 'index' && (places || !isPersonal) ? inTextIndex(db, 'merge_requests', words, columns, places) : null
  return list.where((eb) => found ?? haveAll(eb as unknown as InIssues, mergeRequestTables, words, columns))
}

/** Where the projects are many, each merge request is looked up together with its project. */
function visible(db: Db, viewer: Viewer, scope: IssueScope, filter: MergeRequestFilter, places: Places): MergeRequests {
  if (places) return db.selectFrom('merge_requests').where(isAmong(places, 'merge_requests'))
  const joined = projectsIn(db, viewer, scope, filter).innerJoin('merge_requests', 'merge_requests.project_id', 'projects.id')
  return joined as unknown as MergeRequests
}

const counted = ['state', 'non_archived', 'scope', 'order_by', 'sort']

/** Whether the counts that are kept for each project can tell how many they are. */
function isPlain(filter: MergeRequestFilter): boolean {
  const sent = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')
  return (filter.scope ?? 'all') === 'all' && sent.every(([name]) => counted.includes(name))
}

function totalIn(db: Db, viewer: Viewer, scope: IssueScope, filter: MergeRequestFilter, places: Places): Promise<number> {
  const list = matching(db, viewer, scope, filter, places)
  if (!isPlain(filter)) return totalOf(db, list)
  const projects = places ? idsOf(places) : projectsIn(db, viewer, scope, filter).select('projects.id')
  let counts = db
    .selectFrom('merge_request_counts')
    .select(sql<number>`cast(coalesce(sum(merge_request_counts.number), 0) as bigint)`.as('number'))
    .where(sql<boolean>`merge_request_counts.project_id in (${projects})`)
  if (filter.state) counts = counts.where('merge_request_counts.state', '=', filter.state)
  // The query over the table itself finds nothing: it names what the cache has to watch.
  return totalOf(db, list.where(sql<boolean>`1 = 0`), sql<number>`(${counts})`)
}
