/** SQL for lists of issues: a fixed number of statements for a page, all but one of them cached until something is written. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import {
  confidentialVisibleTo,
  hiddenByBan,
  isAmongOwn,
  isNotByBanned,
  isSeenAlone,
  issuesOnFor,
  issuesVisibleTo,
  type Viewer,
} from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { totalOf } from '../../../db/list-cache.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Issue, User } from '../../../db/tables.ts'
import {
  commonOrders,
  fewProjects,
  idsOf,
  isAmong,
  isCounted,
  issueTables,
  type Listed,
  type ListScope,
  type OrderValue,
  pageOfIssuables,
  projectsIn,
  sometimes,
  withWords,
} from '../issuables/issuables.ts'
import { conditionsOf } from './conditions.queries.ts'
import type { IssueFilter, IssueOrder } from './filter.ts'
import { issuesByIds } from './issues.queries.ts'

/** The projects of a list, by what the viewer can see of their issues; null if there are too many. */
type Projects = { all: number[]; withConfidential: number[] } | null

type Issues = Listed<'issues'>

const orders: Record<IssueOrder, OrderValue[]> = {
  ...commonOrders(issueTables),
  due_date: [sometimes(sql`issues.due_date`)],
  relative_position: [sometimes(sql`issues.relative_position`)],
}

/** One page of the matching issues of a project, a group or everything that the viewer can see: at most four statements. */
export async function listIssues(db: Db, caller: Viewer, scope: ListScope, filter: IssueFilter, page: PageOf): Promise<Found<Issue>> {
  const among = await projectsOf(db, caller, scope, filter)
  const viewer = among ? caller : await withMemberships(db, caller)
  const keepsPlan = isOwnAlone(filter)
  const listing = {
    table: issueTables.table,
    matching: (by: 'index' | 'texts') => matching(db, viewer, scope, filter, among, by),
    count: (list: Issues) =>
      isPlain(filter) ? totalByCounts(db, viewer, scope, filter, among) : totalOf(db, list, undefined, { keepsPlan }),
    order: orders[filter.order_by ?? 'created_at'],
    sort: filter.sort,
    rowsOf: issuesByIds,
    keepsPlan,
  }
  return pageOfIssuables(db, listing, page)
}

/** The matching issues of the scope that the viewer can see, unordered: one cached statement before the query is known. */
export async function matchingIssues(db: Db, caller: Viewer, scope: ListScope, filter: IssueFilter): Promise<{ list: Issues }> {
  // Wrapped in an object, since a query is awaitable and would be run when a promise resolves to it.
  const among = await projectsOf(db, caller, scope, filter)
  return { list: matching(db, among ? caller : await withMemberships(db, caller), scope, filter, among) }
}

/** Open issues that the viewer can see and is assigned to, of all projects that aren't archived; unordered, for counts. */
export function openIssuesFor(db: Db, viewer: User): Issues {
  return matching(db, viewer, {}, { scope: 'assigned_to_me', state: 'opened', non_archived: true }, null)
}

/** The numbers of open and closed ones: at most three statements. */
export async function countByState(
  db: Db,
  caller: Viewer,
  scope: ListScope,
  filter: IssueFilter,
): Promise<{ opened: number; closed: number }> {
  const among = await projectsOf(db, caller, scope, filter)
  const viewer = among ? caller : await withMemberships(db, caller)
  const count = (state: 'opened' | 'closed') => {
    const one = { ...filter, state }
    return isPlain(filter) ? totalByCounts(db, viewer, scope, one, among) : totalOf(db, matching(db, viewer, scope, one, among))
  }
  const [opened, closed] = await Promise.all([count('opened'), count('closed')])
  return { opened, closed }
}

/**
 * The number of open issues of a project: one statement, cached until one is written. Confidential ones are only counted for viewers who
 * see all of them, so that tabs of a page don't check each issue.
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
    // Names the table whose triggers maintain the counts, for the cache.
    .where(sql<boolean>`1 = 1 /* issues */`)
    .groupBy('confidential'),
)

async function projectsOf(db: Db, viewer: Viewer, scope: ListScope, filter: IssueFilter): Promise<Projects> {
  const found = await fewProjects(
    db,
    scope,
    projectsIn(db, scope, filter, issuesOnFor(viewer)).select((eb) => [
      'projects.id',
      sql<number>`case when ${confidentialVisibleTo(viewer)(eb)} then 1 else 0 end`.as('confidential'),
    ]),
  )
  return (
    found && {
      all: found.map(({ id }) => id),
      withConfidential: found.filter(({ confidential }) => confidential === 1).map(({ id }) => id),
    }
  )
}

function matching(db: Db, viewer: Viewer, scope: ListScope, filter: IssueFilter, among: Projects, by: 'index' | 'texts' = 'index'): Issues {
  const list = visible(db, viewer, scope, filter, among).where((eb) => eb.and(conditionsOf(scope, filter, viewer?.id ?? 0)))
  return withWords(db, list, 'issues', filter, among?.all ?? null, by)
}

function visible(db: Db, viewer: Viewer, scope: ListScope, filter: IssueFilter, among: Projects): Issues {
  if (!among) return visibleByProjects(db, viewer, scope, filter)
  const { all, withConfidential } = among
  const issues = db.selectFrom('issues').where(isAmong(all, 'issues')).where(isNotByBanned('issues.author_id', viewer))
  if (withConfidential.length === all.length) return issues
  return issues.where((eb) => eb.or([isSeenAlone(viewer)(eb), isAmong(withConfidential, 'issues')]))
}

/** If there are many projects, each issue is looked up together with its project. */
function visibleByProjects(db: Db, viewer: Viewer, scope: ListScope, { non_archived }: IssueFilter): Issues {
  const joined = db.selectFrom('issues').innerJoin('projects', 'projects.id', 'issues.project_id').where(issuesVisibleTo(viewer))
  const kept = non_archived ? joined.where('projects.archived', '=', false) : joined
  const placed =
    'group_id' in scope
      ? kept.where('projects.namespace_id', 'in', (eb) =>
          eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', scope.group_id),
        )
      : kept
  return placed
}

/** A list of one user's issues, which an index finds for any user: there are few such statements, so PostgreSQL may keep the plan. */
function isOwnAlone({ scope = 'all', ...filter }: IssueFilter): boolean {
  return scope !== 'all' && Object.entries(filter).every(([name, value]) => value === undefined || name === 'state')
}

function isPlain(filter: IssueFilter): boolean {
  return isCounted(filter, ['state', 'confidential'])
}

/** The total from the counts, plus confidential issues that the viewer only sees as author or assignee. */
function totalByCounts(db: Db, viewer: Viewer, scope: ListScope, filter: IssueFilter, among: Projects): Promise<number> {
  const { state, confidential } = filter
  const projects = projectsIn(db, scope, filter, issuesOnFor(viewer)).select('projects.id')
  const [all, reporting] = among
    ? [idsOf(among.all), idsOf(among.withConfidential)]
    : [projects, projects.where(confidentialVisibleTo(viewer))]
  let counts = db
    .selectFrom('issue_counts')
    .select(sql<number>`cast(coalesce(sum(issue_counts.number), 0) as bigint)`.as('number'))
    .where(sql<boolean>`issue_counts.project_id in (${all})`)
    .where((eb) => eb.or([eb('issue_counts.confidential', '=', false), sql<boolean>`issue_counts.project_id in (${reporting})`]))
  if (state) counts = counts.where('issue_counts.state', '=', state)
  if (confidential !== undefined) counts = counts.where('issue_counts.confidential', '=', confidential)
  const seesAll = among ? among.withConfidential.length === among.all.length : viewer?.admin === true
  const list = matching(db, viewer, scope, filter, among).where('issues.confidential', '=', true)
  const isReporting = among ? sql<SqlBool>`issues.project_id in (${reporting})` : null
  const alone = seesAll
    ? list.where(sql<boolean>`1 = 0`)
    : list.where(isAmongOwn(viewer)).where((eb) => eb.not(isReporting ?? confidentialVisibleTo(viewer)(eb as never)))
  if (viewer?.admin) return totalOf(db, alone, sql<number>`(${counts})`)
  const hidden = (isByBanned: RawBuilder<SqlBool>) => {
    let found = db
      .selectFrom('issues')
      .select(sql<number>`count(*)`.as('number'))
      .where(isByBanned)
      .where(sql<boolean>`issues.project_id in (${all})`)
      .where((eb) => eb.or([eb('issues.confidential', '=', false), sql<boolean>`issues.project_id in (${reporting})`]))
    if (state) found = found.where('issues.state', '=', state)
    return confidential === undefined ? found : found.where('issues.confidential', '=', confidential)
  }
  return totalOf(db, alone, sql<number>`(${counts}) - ${hiddenByBan(hidden, 'issues.author_id')}`)
}
