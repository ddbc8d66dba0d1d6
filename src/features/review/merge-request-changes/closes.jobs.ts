/** Which issues a merge request closes: looked up when its texts or commits change, for those who read it before it is merged. */
import { findProject } from '../../../access/find.ts'
import { findUser } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { mergeRequestById } from '../merge-requests/merge-requests.ts'
import { closedIssues, commitMessages } from '../merging/merging.ts'
import { closedIssueIds, replaceClosedIssues } from './merge-request-changes.queries.ts'

export const findClosedIssuesJob: Job<{ merge_request_id: number }> = job('merge_requests.find_closed_issues', {
  key: ({ merge_request_id }) => `issues closed by merge request ${merge_request_id}`,
  handle: (app, { merge_request_id }) => findClosedIssues(app, merge_request_id),
})

/** By its texts and its commits, as far as its author can see the issues. Only what goes to the default branch closes any. */
export async function findClosedIssues(app: App, id: number): Promise<void> {
  const merge_request = await mergeRequestById(app.db, id)
  const author = merge_request && (await findUser(app.db, String(merge_request.author_id)))
  if (!merge_request || !author || merge_request.state === 'merged') return
  const found = await findProject(app.db, String(merge_request.project_id), everything).catch(nullIfMissing)
  if (!found) return
  const isClosing = merge_request.target_branch === found.project.default_branch
  const messages = isClosing ? await commitMessages(app, merge_request) : []
  const issues = isClosing ? await closedIssues(app.db, author, found.project, merge_request, messages, app.config.url) : []
  const ids = issues.map((issue) => issue.id)
  const known = await closedIssueIds(app.db, id)
  if (ids.length === known.length && ids.every((one) => known.includes(one))) return
  await inTransaction(app.db, (tx) => replaceClosedIssues(tx, id, ids))
}

/** For the event of a change that may close other issues than before; null for one that may not. */
export function ifClosingOthers({ before, merge_request }: EventOf<'merge_request_changed'>): { merge_request_id: number } | null {
  const isSame = (['title', 'description', 'target_branch'] as const).every((field) => before[field] === merge_request[field])
  return isSame ? null : { merge_request_id: merge_request.id }
}
