/** Pages of merge requests, presented. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { badParameter } from '../../../failure.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Page, Rows } from '../../../http/reply/page.ts'
import type { IssueScope } from '../../planning/issues/issues.ts'
import type { MergeRequestFilter } from './filter.ts'
import { listMergeRequests } from './lists.queries.ts'
import { presentMergeRequests, presentMergeRequestsSimply } from './merge-requests.present.ts'
import type { MergeRequestAny } from './merge-requests.schema.ts'

interface ListForm {
  view?: 'simple' | undefined
  with_labels_details: boolean
}

/** One page of the list. Throws 400 for a keyset page in an order that has none. */
export async function pageOfMergeRequests(
  app: App,
  viewer: User,
  scope: IssueScope,
  filter: MergeRequestFilter,
  page: Page,
  { view, with_labels_details }: ListForm,
): Promise<Rows<Presented<typeof MergeRequestAny>>> {
  if (page.keyset && !/^(created|updated)_at$/.test(page.keyset.order_by)) {
    throw badParameter('order_by must be created_at or updated_at with pagination=keyset')
  }
  const { rows, ...place } = await listMergeRequests(app.db, viewer, scope, filter, page)
  if (view === 'simple') return { rows: await presentMergeRequestsSimply(app, rows), ...place }
  const within = 'project_id' in scope ? scope.project_id : null
  return { rows: await presentMergeRequests(app, rows, { labelDetails: with_labels_details, within }), ...place }
}
