/** SQL for the issues of a milestone. */
import { sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Issue } from '../../../db/tables.ts'
import type { ListScope } from '../../planning/issuables/issuables.ts'
import { issuesByIds, matchingIssues } from '../../planning/issues/issues.ts'

/** A number greater than every priority, and so the lowest priority. */
const lowest = 2_147_483_648

const priority = sql`coalesce((select min(label_priorities.priority) from issue_labels
  inner join label_priorities on label_priorities.label_id = issue_labels.label_id and label_priorities.project_id = issues.project_id
  where issue_labels.issue_id = issues.id), ${sql.lit(lowest)})`

/** The issues that the viewer can see: ordered by the highest label priority in their project, then newest first. */
export async function listIssuesOfMilestone(
  db: Db,
  viewer: Viewer,
  scope: ListScope,
  milestone_id: number,
  page: PageOf,
): Promise<Found<Issue>> {
  const { list } = await matchingIssues(db, viewer, scope, { milestone_id })
  const total = await totalOf(db, list)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) =>
    list
      .select('issues.id')
      .orderBy(priority, isReversed ? 'desc' : 'asc')
      .orderBy('issues.id', isReversed ? 'asc' : 'desc')
  return { rows: await pageOfList(db, ids, { ...page, total }, issuesByIds), total }
}

export interface IssueCounts {
  opened: number
  closed: number
}

/**
 * The number of issues with each milestone that the viewer can see: two statements, the first cached. Milestones without issues are
 * missing.
 */
export async function countIssuesOfMilestones(db: Db, caller: Viewer, milestoneIds: number[]): Promise<Map<number, IssueCounts>> {
  const counts = new Map<number, IssueCounts>()
  if (milestoneIds.length === 0) return counts
  const viewer = await withMemberships(db, caller)
  const counted = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .where(among(db, 'issues.milestone_id', milestoneIds))
    .where(issuesVisibleTo(viewer))
    .select((eb) => [eb.ref('issues.milestone_id').$notNull().as('milestone_id'), 'issues.state', eb.fn.countAll<number>().as('count')])
    .groupBy(['issues.milestone_id', 'issues.state'])
  for (const { milestone_id, state, count } of await counted.execute()) {
    const known = counts.get(milestone_id) ?? { opened: 0, closed: 0 }
    known[state] = count
    counts.set(milestone_id, known)
  }
  return counts
}
