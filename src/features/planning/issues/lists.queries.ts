/** SQL for lists of issues: three statements for a page, two of them cached until something is written. */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Issue, Tables } from '../../../db/tables.ts'
import { conditionsOf } from './conditions.queries.ts'
import type { IssueFilter, IssueOrder, IssueScope } from './filter.ts'

/** One page of the issues of a project, a group or everything that the viewer can see and that fit: at most three statements. */
export async function listIssues(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter, page: PageOf): Promise<Found<Issue>> {
  const list = matchingIssues(db, viewer, scope, filter)
  const { order_by = 'created_at', sort = 'desc' } = filter
  if (page.keyset) return pageByKeyset(db, list, 'issues', page, issuesByIds)
  const total = await totalOf(db, list)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => ordered(list.select('issues.id'), order_by, directed(sort, isReversed), isReversed)
  return { rows: await pageOfList(db, ids, { ...page, total }, issuesByIds), total }
}

/** How many of them are open and closed: one statement. */
export async function countByState(
  db: Db,
  viewer: Viewer,
  scope: IssueScope,
  filter: IssueFilter,
): Promise<{ opened: number; closed: number }> {
  const list = matchingIssues(db, viewer, scope, { ...filter, state: undefined })
  const [opened, closed] = await Promise.all([
    totalOf(db, list.where('issues.state', '=', 'opened')),
    totalOf(db, list.where('issues.state', '=', 'closed')),
  ])
  return { opened, closed }
}

/** The issues that the viewer can see and that fit, joined with their projects. */
export function matchingIssues(db: Db, viewer: Viewer, scope: IssueScope, filter: IssueFilter) {
  return db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .where(issuesVisibleTo(viewer))
    .where((eb) => eb.and(conditionsOf(eb, scope, filter, viewer?.id ?? 0)))
}

const issuesByIds = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('issues')
    .selectAll()
    .where(among(db, 'id', ids)),
)

type List = SelectQueryBuilder<Tables, 'issues' | 'projects', { id: number }>

/** Issues without the value come last, in either direction. */
function ordered(list: List, by: IssueOrder, sort: 'asc' | 'desc', isReversed: boolean): List {
  const values = orders[by].reduce((found, { value, isNullable }) => {
    const last = isNullable ? found.orderBy(sql`case when ${value} is null then 1 else 0 end`, isReversed ? 'desc' : 'asc') : found
    return last.orderBy(value, sort)
  }, list)
  return values.orderBy('issues.id', sort)
}

interface OrderValue {
  value: RawBuilder<unknown>
  isNullable: boolean
}

const always = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: false })
const sometimes = (value: RawBuilder<unknown>): OrderValue => ({ value, isNullable: true })

const milestoneDue = sometimes(sql`(select milestones.due_date from milestones where milestones.id = issues.milestone_id)`)
const labelPriority = sometimes(sql`(select min(label_priorities.priority) from label_priorities
  join issue_labels on issue_labels.label_id = label_priorities.label_id
  where issue_labels.issue_id = issues.id and label_priorities.project_id = issues.project_id)`)

const orders: Record<IssueOrder, OrderValue[]> = {
  created_at: [always(sql`issues.created_at`)],
  updated_at: [always(sql`issues.updated_at`)],
  title: [always(sql`lower(issues.title)`)],
  popularity: [always(sql`issues.upvotes`)],
  due_date: [sometimes(sql`issues.due_date`)],
  milestone_due: [milestoneDue],
  label_priority: [labelPriority],
  priority: [milestoneDue, labelPriority],
  relative_position: [sometimes(sql`issues.relative_position`)],
}
