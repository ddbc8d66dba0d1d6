/** Removes the source branch after a merge: immediately, and by a job in case the process dies in between. */
import { findProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { deleteBranch } from '../../repository/branches/branches.ts'
import { branchProtectionOf, isProtectedBranch } from '../../repository/protected-refs/protected-refs.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'

/** The user as whom it is removed: the author if they requested it, otherwise the user who merged. */
export async function removerOf(app: App, merge_request: MergeRequest, mergerId: number): Promise<Pusher | null> {
  const { source_project_id, force_remove_source_branch, author_id } = merge_request
  for (const id of new Set(force_remove_source_branch ? [author_id, mergerId] : [mergerId])) {
    const user = await userById(app.db, id)
    const pusher = user && (await pusherTo(app, source_project_id, user))
    if (pusher && (await mayRemove(app, pusher, merge_request.source_branch))) return pusher
  }
  return null
}

async function pusherTo(app: App, project_id: number | null, user: User): Promise<Pusher | null> {
  if (project_id === null || !mayAct(user)) return null
  const found = await findProject(app.db, String(project_id), user).catch(nullIfMissing)
  return found && { user, ...found }
}

/** Neither a protected branch nor the default branch of its project. */
async function mayRemove(app: App, { project, level }: Pusher, branch: string): Promise<boolean> {
  if (project.archived || !may('push_code', level) || branch === project.default_branch) return false
  return !isProtectedBranch(await branchProtectionOf(app.db, project.id), branch)
}

/** Removes the source branch of a merged merge request, unless it has moved since or nobody may remove it. Safe to repeat. */
export async function removeSource(app: App, id: number): Promise<void> {
  const merge_request = await mergeRequestById(app.db, id)
  if (merge_request?.state !== 'merged' || merge_request.merged_by_id === null || merge_request.source_project_id === null) return
  const { source_branch: name, source_project_id, head_oid } = merge_request
  const oid = await resolveCommit(app.git.open(source_project_id), `refs/heads/${name}`)
  if (oid === null || oid !== head_oid) return
  const pusher = await removerOf(app, merge_request, merge_request.merged_by_id)
  if (!pusher) return
  await deleteBranch(app, pusher, { name, oid, commit: oid, committed_at: 0 }).catch((error: unknown) => {
    if (!(error instanceof Failure && error.code === 'ref_moved')) throw error
  })
}

export const removeSourceJob: Job<{ merge_request_id: number }> = job('merge_requests.remove_source', {
  handle: (app, { merge_request_id }) => removeSource(app, merge_request_id),
})
