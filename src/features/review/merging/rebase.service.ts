/** Rebasing the source branch of a merge request onto its target branch. */
import { findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { forbidden, nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor } from '../../../git/repository/repository.ts'
import { fetchCommit } from '../../../git/transfer/fetch-commit.ts'
import { rebase } from '../../../git/write/rebase.ts'
import { userKey } from '../../../limits/streams.ts'
import { changeRefs, mayCommitTo, type Pusher } from '../../repository/pushes/pushes.ts'
import { updateMergeRequest } from '../merge-requests/merge-requests.ts'
import { notOpen } from './marking.ts'
import { oneAtATime } from './one-at-a-time.ts'

const failed = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

/**
 * Puts the commits of the source branch on top of the target branch, by a push in the name of the user. A conflict is not thrown: it
 * is told by `merge_error`. Throws 403 for who may not push to the source branch, 405 where the merge request isn't open.
 */
export async function rebaseMergeRequest(app: App, { user, project }: Pusher, merge_request: MergeRequest): Promise<MergeRequest> {
  const pusher = await sourcePusher(app, merge_request, user)
  if (merge_request.state !== 'opened') throw notOpen()
  const [repo, target] = [countedFor(app.git.open(pusher.project.id), userKey(user)), app.git.open(project.id)]
  return oneAtATime(`${pusher.project.id} ${merge_request.source_branch}`, async () => {
    const tip = await resolveCommit(repo, `refs/heads/${merge_request.source_branch}`)
    const onto = await resolveCommit(target, `refs/heads/${merge_request.target_branch}`)
    if (tip === null) throw forbidden('Source branch does not exist')
    if (onto === null) throw forbidden('Target branch does not exist')
    if (repo.dir !== target.dir) await fetchCommit(target, repo, onto)
    const outcome = await rebase(repo, { tip, onto }, user)
    if (outcome.kind !== 'done') return keepError(app, merge_request, failed)
    if (outcome.oid !== tip) {
      const change = { ref: `refs/heads/${merge_request.source_branch}`, before: tip, after: outcome.oid }
      await changeRefs(app, pusher, [change], { is_forced: true })
    }
    return keepError(app, merge_request, null)
  })
}

async function sourcePusher(app: App, { source_project_id, source_branch }: MergeRequest, user: Pusher['user']): Promise<Pusher> {
  const found = source_project_id === null ? null : await findProject(app.db, String(source_project_id), user).catch(nullIfMissing)
  const pusher = found && { user, ...found }
  if (!pusher || !(await mayCommitTo(app, pusher, source_branch))) throw forbidden('Cannot push to source branch')
  return pusher
}

function keepError(app: App, { id }: MergeRequest, merge_error: string | null): Promise<MergeRequest> {
  return inTransaction(app.db, (tx) => updateMergeRequest(tx, id, { merge_error }))
}
