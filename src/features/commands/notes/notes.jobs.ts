/** Background work of notes: merges that a quick action requested. */
import { findProject } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { job } from '../../../queue/queue.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mergeMergeRequest } from '../merging/merging.ts'

/** `sha`: the tip of the source branch to be merged. */
export const mergeAskedJob = job<{ merge_request_id: number; user_id: number; sha: string }>('notes.merge_asked', {
  async handle(app, { merge_request_id, user_id, sha }) {
    const [merge_request, user] = [await mergeRequestById(app.db, merge_request_id), await findUser(app.db, String(user_id))]
    if (merge_request?.state !== 'opened' || !(user && mayAct(user))) return
    const access = await findProject(app.db, String(merge_request.project_id), user).catch(nullIfMissing)
    if (!access || !canSeeMergeRequests(access, user)) return
    const params = { sha, merge_when_pipeline_succeeds: true }
    await mergeMergeRequest(app, { user, ...access }, merge_request, params).catch((error: unknown) => {
      // There is an obstacle now, which the page of the merge request shows.
      if (!(error instanceof Failure)) throw error
    })
  },
})
