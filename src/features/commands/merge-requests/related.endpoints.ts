/** Data that belongs to a merge request besides its text: participants, reviewers, the issues that it closes or mentions. */
import type { App } from '../../../app.ts'
import type { MergeRequest as MergeRequestRow } from '../../../db/tables.ts'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { Instant, oneOf, resource } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { visibleParticipants } from '../../discussion/participation/participation.ts'
import { subscriptionsOn } from '../../discussion/subscriptions/subscriptions.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { presentIssues } from '../../planning/issues/issues.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { mergeRequestKind } from '../../review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { findClosedIssues } from './closes.jobs.ts'
import { visibleMergeRequest } from './merge-requests.access.ts'
import { closedIssues, mentionedIssues, reviewersOf } from './merge-requests.queries.ts'
import { presentTo } from './present.ts'

const Reviewer = resource('MergeRequestReviewer', {
  user: UserBrief,
  state: oneOf('unreviewed', 'reviewed', 'requested_changes', 'approved'),
  created_at: Instant,
})

export const relatedToMergeRequests = [
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/participants', {
    summary: 'List the participants of a merge request: author, assignees, reviewers, commenters and those mentioned',
    access: visibleMergeRequest,
    item: UserBrief,
    async handle({ app, project, level, merge_request, page }) {
      const found = await visibleParticipants(app.db, { kind: 'merge_request', row: merge_request, project, level })
      const { rows, total } = slice(found, page)
      return { rows: rows.map((user) => presentUserBrief(app.config, user)), total }
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/reviewers', {
    summary: 'List the reviewers of a merge request, and what they said of it',
    access: visibleMergeRequest,
    item: Reviewer,
    async handle({ app, merge_request, page }) {
      const { rows, total } = slice(await reviewersOf(app.db, merge_request.id), page)
      return {
        rows: rows.map(({ user, state, created_at }) => ({ user: presentUserBrief(app.config, user), state, created_at })),
        total,
      }
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/closes_issues', {
    summary: 'List the issues that a merge request closes when it is merged',
    access: visibleMergeRequest,
    item: Issue,
    async handle({ app, user, project, merge_request, page }) {
      await findClosedNow(app, merge_request)
      const { rows, total } = await closedIssues(app.db, user, merge_request.id, page)
      return { rows: await presentIssues(app, user, rows, { within: project.id }), total }
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/related_issues', {
    summary: 'List the issues that a merge request mentions or closes',
    access: visibleMergeRequest,
    item: Issue,
    async handle({ app, user, project, merge_request, page }) {
      await findClosedNow(app, merge_request)
      const { rows, total } = await mentionedIssues(app.db, user, merge_request.id, page)
      return { rows: await presentIssues(app, user, rows, { within: project.id }), total }
    },
  }),
  ...subscriptionsOn(mergeRequestKind, {
    reply: MergeRequest,
    present: (app, user, { project, level, row }) => presentTo(app, user, { project, level }, row),
  }),
]

/** Its commits may have changed just now, before the queue could process them. */
async function findClosedNow(app: App, merge_request: MergeRequestRow): Promise<void> {
  await currentVersion(app, merge_request)
  await findClosedIssues(app, merge_request.id)
}
