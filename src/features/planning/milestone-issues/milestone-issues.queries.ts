/** SQL for the issues of a milestone. */
import { sql } from 'kysely'
import type { Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Issue } from '../../../db/tables.ts'
import { type IssueScope, matchingIssues } from '../issues/issues.ts'

/** Beyond every priority. */
const lowest = 2_147_483_648

const priority = sql`coalesce((select min(label_priorities.priority) from issue_labels
  inner join label_priorities on label_priorities.label_id = issue_labels.label_id and label_priorities.project_id = issues.project_id
  where issue_labels.issue_id = issues.id), ${sql.lit(lowest)})`

/** Those that the viewer can see: of the labels with the highest priority in their project first, then the newest. */
export async function listIssuesOfMilestone(
  db: Db,
  viewer: Viewer,
  scope: IssueScope,
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

const issuesByIds = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('issues')
    .selectAll()
    .where(among(db, 'id', ids)),
)
