/** SQL for lists of merge requests: a fixed number of statements for a page, all but one of them cached until something is written. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import { hiddenByBan, isNotByBanned, mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { totalOf } from '../../../db/list-cache.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import {
  commonOrders,
  fewProjects,
  idsOf,
  isAmong,
  isCounted,
  type Listed,
  type ListScope,
  mergeRequestTables,
  type OrderValue,
  pageOfIssuables,
  projectsIn,
  sometimes,
  withWords,
} from '../../planning/issuables/issuables.ts'
import { conditionsOf } from './conditions.queries.ts'
import type { MergeRequestFilter, MergeRequestOrder } from './filter.ts'
import { mergeRequestsByIds } from './merge-requests.queries.ts'

/** The projects of a list; null if there are too many. */
type Projects = number[] | null

type MergeRequests = Listed<'merge_requests'>

const orders: Record<MergeRequestOrder, OrderValue[]> = {
  ...commonOrders(mergeRequestTables),
  merged_at: [sometimes(sql`merge_requests.merged_at`)],
}

/** One page of the matching merge requests of a project, a group or everything that the viewer can see: at most four statements. */
export async function listMergeRequests(
  db: Db,
  caller: Viewer,
  scope: ListScope,
  filter: MergeRequestFilter,
  page: PageOf,
): Promise<Found<MergeRequest>> {
  const among = await projectsOf(db, caller, scope, filter)
  const viewer = among ? caller : await withMemberships(db, caller)
  const listing = {
    table: mergeRequestTables.table,
    matching: (by: 'index' | 'texts') => matching(db, viewer, scope, filter, among, by),
    count: (list: MergeRequests) => totalIn(db, viewer, scope, filter, among, list),
    order: orders[filter.order_by ?? 'created_at'],
    sort: filter.sort,
    rowsOf: mergeRequestsByIds,
  }
  return pageOfIssuables(db, listing, page)
}

/** The number in each state: at most five statements. */
export async function countMergeRequests(
  db: Db,
  caller: Viewer,
  scope: ListScope,
  filter: MergeRequestFilter,
): Promise<Record<'opened' | 'merged' | 'closed', number>> {
  const among = await projectsOf(db, caller, scope, filter)
  const viewer = among ? caller : await withMemberships(db, caller)
  const count = (state: MergeRequest['state']) => totalIn(db, viewer, scope, { ...filter, state }, among)
  const [opened, locked, merged, closed] = await Promise.all([count('opened'), count('locked'), count('merged'), count('closed')])
  return { opened: opened + locked, merged, closed }
}

/** Open merge requests that the viewer can see and should act on, of all projects that aren't archived; unordered, for counts. */
export function openMergeRequestsFor(db: Db, viewer: User, scope: 'assigned_to_me' | 'reviews_for_me'): MergeRequests {
  const list = matching(db, viewer, {}, { scope, non_archived: true }, null)
  return list.where('merge_requests.state', 'in', ['opened', 'locked'])
}

async function projectsOf(db: Db, viewer: Viewer, scope: ListScope, filter: MergeRequestFilter): Promise<Projects> {
  const found = await fewProjects(db, scope, projectsIn(db, scope, filter, mergeRequestsVisibleTo(viewer)).select('projects.id'))
  return found ? found.map(({ id }) => id) : null
}

function matching(
  db: Db,
  viewer: Viewer,
  scope: ListScope,
  filter: MergeRequestFilter,
  among: Projects,
  by: 'index' | 'texts' = 'index',
): MergeRequests {
  const list = visible(db, viewer, scope, filter, among).where((eb) => eb.and(conditionsOf(scope, filter, viewer?.id ?? 0)))
  return withWords(db, list, 'merge_requests', filter, among, by)
}

/** If there are many projects, each merge request is looked up together with its project. */
function visible(db: Db, viewer: Viewer, scope: ListScope, filter: MergeRequestFilter, among: Projects): MergeRequests {
  const shown = isNotByBanned('merge_requests.author_id', viewer)
  if (among) return db.selectFrom('merge_requests').where(isAmong(among, 'merge_requests')).where(shown)
  const joined = projectsIn(db, scope, filter, mergeRequestsVisibleTo(viewer)).innerJoin(
    'merge_requests',
    'merge_requests.project_id',
    'projects.id',
  )
  return joined.where(shown)
}

function totalIn(
  db: Db,
  viewer: Viewer,
  scope: ListScope,
  filter: MergeRequestFilter,
  among: Projects,
  list = matching(db, viewer, scope, filter, among),
): Promise<number> {
  if (!isCounted(filter, ['state'])) return totalOf(db, list)
  const projects = among ? idsOf(among) : projectsIn(db, scope, filter, mergeRequestsVisibleTo(viewer)).select('projects.id')
  let counts = db
    .selectFrom('merge_request_counts')
    .select(sql<number>`cast(coalesce(sum(merge_request_counts.number), 0) as bigint)`.as('number'))
    .where(sql<boolean>`merge_request_counts.project_id in (${projects})`)
  if (filter.state) counts = counts.where('merge_request_counts.state', '=', filter.state)
  // The added query over the table itself finds nothing: it names the table that the cache must watch.
  const none = list.where(sql<boolean>`1 = 0`)
  if (viewer?.admin) return totalOf(db, none, sql<number>`(${counts})`)
  const hidden = (isByBanned: RawBuilder<SqlBool>) => {
    const found = db
      .selectFrom('merge_requests')
      .select(sql<number>`count(*)`.as('number'))
      .where(isByBanned)
      .where(sql<boolean>`merge_requests.project_id in (${projects})`)
    return filter.state ? found.where('merge_requests.state', '=', filter.state) : found
  }
  return totalOf(db, none, sql<number>`(${counts}) - ${hiddenByBan(hidden, 'merge_requests.author_id')}`)
}
