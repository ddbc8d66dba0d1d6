/** Pages of merge requests, presented. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Page, Rows } from '../../../http/reply/page.ts'
import { assertKeysetOrder, type ListScope } from '../../planning/issuables/issuables.ts'
import type { MergeRequestFilter } from './filter.ts'
import { listMergeRequests } from './lists.queries.ts'
import { presentMergeRequests, presentMergeRequestsSimply } from './merge-requests.present.ts'
import type { MergeRequestAny } from './merge-requests.schema.ts'

interface ListForm {
  view?: 'simple' | undefined
  with_labels_details: boolean
}

/** One page of the list. Throws 400 for a keyset page in an order without support for it. */
export async function pageOfMergeRequests(
  app: App,
  viewer: User,
  scope: ListScope,
  filter: MergeRequestFilter,
  page: Page,
  { view, with_labels_details }: ListForm,
): Promise<Rows<Presented<typeof MergeRequestAny>>> {
  assertKeysetOrder(page)
  const { rows, ...place } = await listMergeRequests(app.db, viewer, scope, filter, page)
  if (view === 'simple') return { rows: await presentMergeRequestsSimply(app, rows), ...place }
  const within = 'project_id' in scope ? scope.project_id : null
  return { rows: await presentMergeRequests(app, rows, { labelDetails: with_labels_details, within }), ...place }
}
