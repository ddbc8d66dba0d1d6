/** Background work of notes: merges and rebases that a quick action requested. */
import { findProject } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { job } from '../../../queue/queue.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mergeOrAdd } from '../merge-trains/merge-trains.ts'
import { rebaseMergeRequest } from '../merging/merging.ts'

interface Asked {
  merge_request_id: number
  user_id: number
  /** The tip of the source branch that they have seen. */
  sha: string
}

export const mergeAskedJob = job<Asked>('notes.merge_asked', {
  async handle(app, asked) {
    await inTheirName(app, asked, (pusher, merge_request) =>
      mergeOrAdd(app, pusher, merge_request, { sha: asked.sha, merge_when_pipeline_succeeds: true }),
    )
  },
})

export const rebaseAskedJob = job<Asked>('notes.rebase_asked', {
  async handle(app, asked) {
    await inTheirName(app, asked, async (pusher, merge_request) =>
      merge_request.head_oid === asked.sha ? rebaseMergeRequest(app, pusher, merge_request) : null,
    )
  },
})

/** Nothing happens if they may no longer act there, or there is an obstacle now, which the page of the merge request shows. */
async function inTheirName(
  app: App,
  { merge_request_id, user_id }: Asked,
  act: (pusher: Pusher, merge_request: MergeRequest) => Promise<unknown>,
): Promise<void> {
  const [merge_request, user] = [await mergeRequestById(app.db, merge_request_id), await findUser(app.db, String(user_id))]
  if (merge_request?.state !== 'opened' || !(user && mayAct(user))) return
  const access = await findProject(app.db, String(merge_request.project_id), user).catch(nullIfMissing)
  if (!access || !canSeeMergeRequests(access, user)) return
  await act({ user, ...access }, merge_request).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
}
