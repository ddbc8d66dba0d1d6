/** Rebasing the source branch of a merge request onto its target branch. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { rebase } from '../../../git/write/rebase.ts'
import { changeRefs, type Pusher } from '../../repository/pushes/pushes.ts'
import { updateMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { onSourceBranch } from './source-branch.ts'

const failed = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

/**
 * Puts the commits of the source branch on top of the target branch, by a push on behalf of the user. A conflict is not thrown but stored
 * in `merge_error`. Throws 403 if they may not push to the source branch, 405 if the merge request isn't open.
 */
export function rebaseMergeRequest(
  app: App,
  caller: Pusher,
  merge_request: MergeRequest,
  { skip_ci = false }: { skip_ci?: boolean | undefined } = {},
): Promise<MergeRequest> {
  const push_options = skip_ci ? ['ci.skip'] : []
  return onSourceBranch(app, caller, merge_request, async ({ pusher, repo, ref, tip, onto, bringTarget }) => {
    await bringTarget()
    const outcome = await rebase(repo, { tip, onto }, caller.user)
    if (outcome.kind !== 'done') return keepError(app, merge_request, failed)
    if (outcome.oid !== tip) await changeRefs(app, pusher, [{ ref, before: tip, after: outcome.oid }], { is_forced: true, push_options })
    return keepError(app, merge_request, null)
  })
}

function keepError(app: App, { id }: MergeRequest, merge_error: string | null): Promise<MergeRequest> {
  return inTransaction(app.db, (tx) => updateMergeRequest(tx, id, { merge_error }))
}
