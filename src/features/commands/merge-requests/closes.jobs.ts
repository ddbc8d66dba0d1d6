/** Determines which issues a merge request closes when its texts or commits change, for readers before the merge. */
import { findProject } from '../../../access/find.ts'
import { findUser } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type Job, job, openPayloads } from '../../../queue/queue.ts'
import { mergeRequestById, mergeRequestsByIds } from '../../review/merge-requests/merge-requests.ts'
import { refreshWaiting } from '../../review/versions/versions.ts'
import { closedIssues, commitMessages } from '../merging/merging.ts'
import { closedIssueIds, replaceClosedIssues } from './merge-requests.queries.ts'

/** Maximum of open jobs, of all projects, that a reader examines. */
const maxOpen = 200

export const findClosedIssuesJob: Job<{ merge_request_id: number }> = job('merge_requests.find_closed_issues', {
  key: ({ merge_request_id }) => `issues closed by merge request ${merge_request_id}`,
  handle: (app, { merge_request_id }) => findClosedIssues(app, merge_request_id),
})

/** From its texts and commits, limited to issues that its author can see. Only merge requests into the default branch close issues. */
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

/** Merge requests that one reader updates; the queue updates the others. */
const maxCaughtUp = 20

/** Updates what merge requests into a project close, if the queue hasn't processed recent pushes and changes yet. */
export async function catchUpClosing(app: App, project_id: number): Promise<void> {
  await refreshWaiting(app, project_id, maxCaughtUp)
  const open = await openPayloads(app.db, findClosedIssuesJob, maxOpen)
  if (open.length === 0) return
  const rows = await mergeRequestsByIds(app.db, [...new Set(open.map(({ merge_request_id }) => merge_request_id))])
  for (const { id } of rows.filter((row) => row.project_id === project_id).slice(0, maxCaughtUp)) await findClosedIssues(app, id)
}

/** For the event of a change that may change the closed issues; null if it can't. */
export function ifClosingOthers({ before, merge_request }: EventOf<'merge_request_changed'>): { merge_request_id: number } | null {
  const isSame = (['title', 'description', 'target_branch'] as const).every((field) => before[field] === merge_request[field])
  return isSame ? null : { merge_request_id: merge_request.id }
}
