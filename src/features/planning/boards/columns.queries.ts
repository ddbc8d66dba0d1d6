/** SQL for the columns of boards: the issues of each list, open issues without a list, and closed ones. */
import type { Viewer } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageOfList, totalOf } from '../../../db/list-cache.ts'
import type { Issue } from '../../../db/tables.ts'
import type { ListScope } from '../issuables/issuables.ts'
import { listPosition } from '../issue-order/issue-order.ts'
import { type IssueFilter, issuesByIds, matchingIssues } from '../issues/issues.ts'

/** The issues of a list have its label. Closed ones are only in the last column, whatever their labels. */
export type Column = { kind: 'open'; except_label_ids: number[] } | { kind: 'label'; label_id: number } | { kind: 'closed' }

/** One page of the issues that the viewer can see, in board order: four statements, three of them cached until something is written. */
export async function pageOfColumn(
  db: Db,
  viewer: Viewer,
  scope: ListScope,
  filter: IssueFilter,
  column: Column,
  page: PageOf,
): Promise<Found<Issue>> {
  const { list } = await issuesIn(db, viewer, scope, filter, column)
  const total = await totalOf(db, list)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) =>
    list
      .select('issues.id')
      .orderBy(listPosition, isReversed ? 'desc' : 'asc')
      .orderBy('issues.id', isReversed ? 'asc' : 'desc')
  return { rows: await pageOfList(db, ids, { ...page, total }, issuesByIds), total }
}

/** The row of an issue in the column; null if it isn't there for the viewer. */
export async function issueOnBoard(db: Db, viewer: Viewer, scope: ListScope, id: number): Promise<Issue | null> {
  const { list } = await matchingIssues(db, viewer, scope, {})
  return (await list.selectAll('issues').where('issues.id', '=', id).executeTakeFirst()) ?? null
}

async function issuesIn(db: Db, viewer: Viewer, scope: ListScope, filter: IssueFilter, column: Column) {
  const { list } = await matchingIssues(db, viewer, scope, { ...filter, state: column.kind === 'closed' ? 'closed' : 'opened' })
  if (column.kind === 'closed') return { list }
  if (column.kind === 'label')
    return {
      list: list.where('issues.id', 'in', (eb) => eb.selectFrom('issue_labels').select('issue_id').where('label_id', '=', column.label_id)),
    }
  const { except_label_ids } = column
  if (except_label_ids.length === 0) return { list }
  const without = list.where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('issue_labels')
          .select('issue_labels.label_id')
          .whereRef('issue_labels.issue_id', '=', 'issues.id')
          .where('issue_labels.label_id', 'in', except_label_ids),
      ),
    ),
  )
  return { list: without }
}
