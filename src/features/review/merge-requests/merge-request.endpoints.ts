/** One merge request (spec 4.3). */
import type { ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest as MergeRequestRow, User } from '../../../db/tables.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Off, type Presented } from '../../../http/parameters/schema.ts'
import { mergeRequestInPath } from './merge-requests.access.ts'
import { MergeRequest } from './merge-requests.schema.ts'

/** Options for fields that are too costly to compute in every reply. */
export interface SingleOptions {
  render_html?: boolean
  include_diverged_commits_count?: boolean
  include_rebase_in_progress?: boolean
}

type Present = (
  app: App,
  user: User,
  access: ProjectAccess,
  row: MergeRequestRow,
  options: SingleOptions,
) => Promise<Presented<typeof MergeRequest>>

/** @param present presents versions, mergeability and texts as HTML, whose features come after merge requests */
export function mergeRequestShownBy(present: Present): Endpoint {
  return endpoint('GET /projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Get a merge request',
    access: within(project('signed-in'), mergeRequestInPath),
    query: { render_html: Off, include_diverged_commits_count: Off, include_rebase_in_progress: Off },
    reply: MergeRequest,
    fails: ['too_large', 'unprocessable'],
    handle: ({ app, user, access, merge_request, query }) => present(app, user, access, merge_request, query),
  })
}
