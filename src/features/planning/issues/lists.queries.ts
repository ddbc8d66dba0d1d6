/** SQL for lists of issues: a fixed number of statements for a page, all but one of them cached until something is written. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import { confidentialVisibleTo, isAmongOwn, isSeenAlone, issuesOnFor, issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { cachedRows, directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import { inTextIndex, wordsOf } from '../../../db/search.ts'
import type { Issue, Tables } from '../../../db/tables.ts'
import { conditionsOf, haveAll, issueTables } from './conditions.queries.ts'
import type { IssueFilter, IssueScope } from './filter.ts'
import { issuesByIds } from './issues.queries.ts'
import { type IssueIds, ordered } from './orders.queries.ts'

/** The projects of a list, by what the viewer sees of their issues; null where they are too many to be named. */
type Places = { all: number[]; withConfidential: number[] } | null

/** A list of issues without an order. */
type Issues = SelectQueryBuilder<Tables, 'issues', Record<never, never>>

/** One page of the issues of a project, a group or everything that the viewer can see and that fit: at most four statements. */
export async function listIssues(db: Db, caller: Viewer, scope: IssueScope, filter: IssueFilter, page: PageOf): Promise<Found<Issue>> {
  const places = await placesOf(db, caller, scope, filter)
  const viewer = places ? caller : await withMemberships(db, caller)
  const list = matching(db, viewer, scope, filter, places)
  if (page.keyset) return pageByKeyset(db, list, 'issues', page, issuesByIds)
  const keepsPlan = isOwnAlone(filter)
  const total = await (isPlain(filter) ? totalByCounts(db, viewer, scope, filter, places) : totalOf(db, list, undefined, { keepsPlan }))
  if (total <= page.offset) return { rows: [], total }
  const { order_by = 'created_at', sort = 'desc' } = filter
  const shown = isFoundSoon(total, page) ? matching(db, viewer, scope, filter, places, 'texts') : list
  const ids = (isReversed: boolean): IssueIds => ordered(shown.select('issues.id'), order_by, directed(sort, isReversed), isReversed)
  return { rows: await pageOfList(db, ids, { ...page, total }, issuesByIds, { keepsPlan }), total }
}

/** The issues of the scope that the viewer can see and that fit, without an order: one statement, cached, before the query is known. */
export async function matchingIssues(db: Db, caller: Viewer, scope: IssueScope, filter: IssueFilter): Promise<{ list: Issues }> {
  // A query itself can be awaited: it must not be what a promise holds.
  const places = await placesOf(db, caller, scope, filter)
  return { list: matching(db, places ? caller : await withMemberships(db, caller), scope, filter, places) }
}

/** How many of them are open and closed: at most three statements. */
export async function countByState(
  db: Db,
  caller: Viewer,
  scope: IssueScope,
  filter: IssueFilter,
): Promise<{ opened: number; closed: number }> {
  const places = await placesOf(db, caller, scope, filter)
  const viewer = places ? caller : await withMemberships(db, caller)
  const count = (state: 'opened' | 'closed') => {
    const one = { ...filter, state }
    return isPlain(filter) ? totalByCounts(db, viewer, scope, one, places) : totalOf(db, matching(db, viewer, scope, one, places))
  }
  const [opened, closed] = await Promise.all([count('opened'), count('closed')])
  return { opened, closed }
}

/**
 * How many of a project are open: one statement, cached until one is written. Of confidential ones those alone are counted who see all
 * of them, so that a page's tabs cost no look at each.
 */
export async function countOpenIssues(db: Db, projectId: number, seesConfidential: boolean): Promise<number> {
  const found = await openCounts(db, projectId)
  return found.reduce((sum, { confidential, count }) => (confidential && !seesConfidential ? sum : sum + count), 0)
}

const openCounts = prepared((db: Db, projectId: number) =>
  db
    .selectFrom('issue_counts')
    .select(['confidential', sql<number>`cast(sum(number) as bigint)`.as('count')])
    .where('project_id', '=', projectId)
    .where('state', '=', 'opened')
    // The name of the table whose triggers keep the counts, for the cache.
    .where(sql<boolean>`1 = 1 /* issues */`)
    .groupBy('confidential'),
)

/** Of so many projects the issues are looked up one project after the other. */
const maxPlaces = 200

async function placesOf(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter): Promise<Places> {
  if (!('project_id' in scope) && !('group_id' in scope)) return null
  const found = await cachedRows<{ id: number; confidential: number }>(
    db,
    projectsIn(db, viewer, scope, filter)
      .select((eb) => ['projects.id', sql<number>`case when ${confidentialVisibleTo(viewer)(eb)} then 1 else 0 end`.as('confidential')])
      .limit(maxPlaces + 1),
    { keepsPlan: true },
  )
  if (found.length > maxPlaces) return null
  return { all: found.map(({ id }) => id), withConfidential: found.filter(({ confidential }) => confidential === 1).map(({ id }) => id) }
}

/** The projects of the scope whose issues the viewer can see. */
function projectsIn(db: Db, viewer: Viewer, scope: IssueScope, { non_archived }: IssueFilter) {
  let query = db.selectFrom('projects').where(issuesOnFor(viewer))
  if (non_archived) query = query.where('projects.archived', '=', false)
  if ('project_id' in scope) return query.where('projects.id', '=', scope.project_id)
  if (!('group_id' in scope)) return query
  return query.where('projects.namespace_id', 'in', (eb) =>
    eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', scope.group_id),
  )
}

/** Many matches near either end: in the order of the list a page is full before the index has told them all. */
export function isFoundSoon(total: number, { offset, limit }: PageOf): boolean {
  const passed = Math.min(offset, Math.max(total - offset - limit, 0)) + limit
  return total >= 500 && passed * 10 < total
}

/** Words are looked up in the index, or in the texts: those of somebody's own issues are few. */
function matching(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter, places: Places, by: 'index' | 'texts' = 'index'): Issues {
  const words = wordsOf(filter.search ?? '')
  const columns = filter.search_in ?? ['title', 'description']
  const list = visible(db, viewer, scope, filter, places).where((eb) => eb.and(conditionsOf(eb, scope, filter, viewer?.id ?? 0)))
  if (words.length === 0) return list
  const isPersonal = (filter.scope ?? 'all') !== 'all'
  const found = by === 'index' && (places || !isPersonal) ? inTextIndex(db, 'issues', words, columns, places?.all ?? null) : null
  return list.where((eb) => found ?? haveAll(eb, issueTables, words, columns))
}

function visible(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter, places: Places): Issues {
  if (!places) return visibleByProjects(db, viewer, scope, filter)
  const { all, withConfidential } = places
  const issues = db.selectFrom('issues').where(isAmong(all))
  if (withConfidential.length === all.length) return issues
  return issues.where((eb) => eb.or([isSeenAlone(viewer)(eb), isAmong(withConfidential)]))
}

export function isAmong(projectIds: number[], table = 'issues'): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.project_id`)
  if (projectIds.length === 0) return sql<SqlBool>`1 = 0`
  return projectIds.length === 1 ? sql<SqlBool>`${column} = ${projectIds[0]}` : sql<SqlBool>`${column} in (${sql.join(projectIds)})`
}

/** Where the projects are many, each issue is looked up together with its project. */
function visibleByProjects(db: Db, viewer: Viewer, scope: IssueScope, { non_archived }: IssueFilter): Issues {
  const joined = db.selectFrom('issues').innerJoin('projects', 'projects.id', 'issues.project_id').where(issuesVisibleTo(viewer))
  const kept = non_archived ? joined.where('projects.archived', '=', false) : joined
  const placed =
    'group_id' in scope
      ? kept.where('projects.namespace_id', 'in', (eb) =>
          eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', scope.group_id),
        )
      : kept
  return placed as unknown as Issues
}

/** Those of one user, which an index finds, whoever it is: in few texts, whose plan PostgreSQL may keep. */
function isOwnAlone({ scope = 'all', ...filter }: IssueFilter): boolean {
  return scope !== 'all' && Object.entries(filter).every(([name, value]) => value === undefined || name === 'state')
}

const counted = ['state', 'confidential', 'non_archived', 'scope', 'order_by', 'sort']

/** Whether the counts that are kept for each project can tell how many they are. */
function isPlain(filter: IssueFilter): boolean {
  const sent = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')
  return (filter.scope ?? 'all') === 'all' && sent.every(([name]) => counted.includes(name))
}

/** What the counts say, and those confidential issues that the viewer sees as their author or assignee alone. */
function totalByCounts(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter, places: Places): Promise<number> {
  const { state, confidential } = filter
  const projects = projectsIn(db, viewer, scope, filter).select('projects.id')
  const [all, reporting] = places
    ? [idsOf(places.all), idsOf(places.withConfidential)]
    : [projects, projects.where(confidentialVisibleTo(viewer))]
  let counts = db
    .selectFrom('issue_counts')
    .select(sql<number>`cast(coalesce(sum(issue_counts.number), 0) as bigint)`.as('number'))
    .where(sql<boolean>`issue_counts.project_id in (${all})`)
    .where((eb) => eb.or([eb('issue_counts.confidential', '=', false), sql<boolean>`issue_counts.project_id in (${reporting})`]))
  if (state) counts = counts.where('issue_counts.state', '=', state)
  if (confidential !== undefined) counts = counts.where('issue_counts.confidential', '=', confidential)
  const seesAll = places ? places.withConfidential.length === places.all.length : viewer?.admin === true
  const list = matching(db, viewer, scope, filter, places).where('issues.confidential', '=', true)
  const isReporting = places ? sql<SqlBool>`issues.project_id in (${reporting})` : null
  const alone = seesAll
    ? list.where(sql<boolean>`1 = 0`)
    : list.where(isAmongOwn(viewer)).where((eb) => eb.not(isReporting ?? confidentialVisibleTo(viewer)(eb as never)))
  return totalOf(db, alone, sql<number>`(${counts})`)
}

export function idsOf(projectIds: number[]): RawBuilder<unknown> {
  // No project has the id 0.
  return projectIds.length === 0 ? sql`0` : sql.join(projectIds)
}
