/** Background work after pushes to target branches: marks merge requests as merged that a push contains. */

import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { lockMergeRequest, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { closedIssues } from './closing.ts'
import { commitMessages } from './facts.ts'
import { closeWithoutSource, markMerged } from './marking.ts'
import { openFrom, openInto } from './merging.queries.ts'

/** Per push: of more commits, the newest are examined. */
const maxCommits = 100_000

interface PushToTargets {
  project_id: number
  user_id: number
  branches: Array<{ branch: string; before: string; after: string }>
  /** Branches that the same push deleted. */
  gone: string[]
}

/** Marks merge requests as merged whose newest commit was pushed to their target. One process per branch. */
export const followPushJob: Job<PushToTargets> = job('merge_requests.follow_push', {
  async handle(app, { project_id, user_id, branches, gone }, stopping) {
    const [user, found] = [await userById(app.db, user_id), await findProject(app.db, String(project_id), everything).catch(nullIfMissing)]
    if (!user || !found) return
    const repo = endingWith(app.git.open(project_id), stopping)
    for (const { branch, before, after } of branches) {
      const pushed = new Set((await commitRange(repo, after, before, maxCommits)).oids)
      for (const { id } of await openInto(app.db, project_id, branch)) {
        stopping?.throwIfAborted()
        const known = await mergeRequestById(app.db, id)
        const merge_request = known && ((await currentVersion(app, known))?.merge_request ?? known)
        if (merge_request?.head_oid && pushed.has(merge_request.head_oid)) await markPushed(app, merge_request, user, after)
      }
    }
    await closeThoseWithout(app, project_id, user_id, gone)
  },
})

/** It was merged manually. */
async function markPushed(app: App, merge_request: MergeRequest, user: User, commit_oid: string): Promise<void> {
  const { project } = await findProject(app.db, String(merge_request.project_id), everything)
  const isClosing = merge_request.target_branch === project.default_branch
  const messages = isClosing ? await commitMessages(app, merge_request) : []
  const issues = isClosing ? await closedIssues(app.db, user, project, merge_request, messages, app.config.url) : []
  const closes_issue_ids = issues.map(({ id }) => id)
  await inTransaction(app.db, async (tx) => {
    const locked = await lockMergeRequest(tx, merge_request.id)
    if (locked?.state !== 'opened' || locked.head_oid !== merge_request.head_oid) return
    await markMerged(tx, locked, { user_id: user.id, at: now(), commit_oid, underWay: null, closes_issue_ids })
  })
}

async function closeThoseWithout(app: App, project_id: number, user_id: number, branches: string[]): Promise<void> {
  if (branches.length === 0) return
  await inTransaction(app.db, async (tx) => {
    for (const { id } of await openFrom(tx, project_id, branches)) {
      const locked = await lockMergeRequest(tx, id)
      if (locked) await closeWithoutSource(tx, user_id, locked)
    }
  })
}
