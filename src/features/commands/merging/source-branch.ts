/** Changes to the source branch of a merge request, by a user who may push to it. */
import { findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { forbidden, nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { fetchCommit } from '../../../git/transfer/fetch-commit.ts'
import { userKey } from '../../../limits/callers.ts'
import { oneAtATime } from '../../../limits/one-at-a-time.ts'
import { mayCommitTo, type Pusher } from '../../repository/pushes/pushes.ts'
import { notOpen } from './marking.ts'

export interface OnSource {
  /** The user, with their access to the project of the source branch. */
  pusher: Pusher
  repo: Repo
  ref: string
  /** The tip of the source branch. */
  tip: string
  /** The tip of the target branch. */
  onto: string
  /** Copies the tip of the target branch into the repository of a fork. */
  bringTarget: () => Promise<void>
}

/**
 * Serializes work on the same branch. Throws 403 if the user may not push to it or one of the branches is gone, 405 if the merge request
 * isn't open.
 */
export async function onSourceBranch<T>(
  app: App,
  { user, project }: Pick<Pusher, 'user' | 'project'>,
  merge_request: MergeRequest,
  work: (source: OnSource) => Promise<T>,
): Promise<T> {
  const pusher = await sourcePusher(app, merge_request, user)
  if (!pusher) throw forbidden('Cannot push to source branch')
  if (merge_request.state !== 'opened') throw notOpen()
  const [repo, target] = [countedFor(app.git.open(pusher.project.id), userKey(user)), app.git.open(project.id)]
  return oneAtATime(`branch ${pusher.project.id} ${merge_request.source_branch}`, async () => {
    const ref = `refs/heads/${merge_request.source_branch}`
    const tip = await resolveCommit(repo, ref)
    const onto = await resolveCommit(target, `refs/heads/${merge_request.target_branch}`)
    if (tip === null) throw forbidden('Source branch does not exist')
    if (onto === null) throw forbidden('Target branch does not exist')
    const bringTarget = () => (repo.dir === target.dir ? Promise.resolve() : fetchCommit(target, repo, onto))
    return work({ pusher, repo, ref, tip, onto, bringTarget })
  })
}

export async function mayPushToSource(app: App, merge_request: MergeRequest, user: Pusher['user']): Promise<boolean> {
  return (await sourcePusher(app, merge_request, user)) !== null
}

/** Null if they may not push to it. */
async function sourcePusher(app: App, { source_project_id, source_branch }: MergeRequest, user: Pusher['user']): Promise<Pusher | null> {
  const found = source_project_id === null ? null : await findProject(app.db, String(source_project_id), user).catch(nullIfMissing)
  const pusher = found && { user, ...found }
  return pusher && (await mayCommitTo(app, pusher, source_branch)) ? pusher : null
}
