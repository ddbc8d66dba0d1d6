/** SQL for the issues of a milestone. */
import { sql } from 'kysely'
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'

/** Beyond every priority. */
const lowest = 2_147_483_648

/** Those that the viewer can see: of the labels with the highest priority in their project first, then the newest. */
export function listIssuesOfMilestone(
  db: Db,
  viewer: Viewer,
  milestoneId: number,
  page: PageOf,
): Promise<{ rows: Issue[]; total: number }> {
  const highestPriority = sql`(select min(label_priorities.priority) from issue_labels
    inner join label_priorities on label_priorities.label_id = issue_labels.label_id and label_priorities.project_id = issues.project_id
    where issue_labels.issue_id = issues.id)`
  const found = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .selectAll('issues')
    .where('issues.milestone_id', '=', milestoneId)
    .where(issuesVisibleTo(viewer))
    .orderBy(sql`coalesce(${highestPriority}, ${sql.lit(lowest)})`)
    .orderBy('issues.id', 'desc')
  return paginate(found, page)
}
