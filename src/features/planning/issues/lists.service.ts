/** Pages of issues, presented for the viewer, and their statistics. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Page, Rows } from '../../../http/reply/page.ts'
import { assertKeysetOrder, type ListScope } from '../issuables/issuables.ts'
import type { IssueFilter } from './filter.ts'
import { type IssueForm, presentIssues } from './issues.present.ts'
import type { Issue, IssueStatistics } from './issues.schema.ts'
import { countByState, listIssues } from './lists.queries.ts'

/** One page of the list; `filter` is null if nothing can match. Throws 400 for a keyset page in an order without support for it. */
export async function pageOfIssues(
  app: App,
  viewer: User,
  scope: ListScope,
  filter: IssueFilter | null,
  page: Page,
  form: IssueForm,
): Promise<Rows<Presented<typeof Issue>>> {
  assertKeysetOrder(page)
  if (!filter) return { rows: [], total: 0 }
  const { rows, ...place } = await listIssues(app.db, viewer, scope, filter, page)
  return { rows: await presentIssues(app, viewer, rows, form), ...place }
}

export async function statisticsOf(
  app: App,
  viewer: User,
  scope: ListScope,
  filter: IssueFilter | null,
): Promise<Presented<typeof IssueStatistics>> {
  const { opened, closed } = filter ? await countByState(app.db, viewer, scope, filter) : { opened: 0, closed: 0 }
  return { statistics: { counts: { all: opened + closed, closed, opened } } }
}
