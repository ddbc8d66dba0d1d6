/** How versions react when branches move or a merge request changes. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isCreation, isDeletion } from '../../../git/refs/ref-updates.ts'
import { enqueue } from '../../../queue/queue.ts'
import { followTargetsJob, refreshVersionsJob } from './pushes.jobs.ts'
import { insertPending, movePending, openOnes } from './versions.queries.ts'

/** Records which merge requests a push affects: by their source in this transaction, by their target in a job. */
export async function noteMovedBranches(tx: Tx, { project_id, user_id, at, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const moved = changes.flatMap((change) => {
    const branch = branchOf(change.ref)
    return branch === null || isDeletion(change) ? [] : [{ branch, before: change.before, after: change.after, isNew: isCreation(change) }]
  })
  if (moved.length === 0) return
  const names = moved.map(({ branch }) => branch)
  const tips = new Map(moved.map(({ branch, after }) => [branch, after]))
  const concerned = await openOnes(tx, 'source', project_id, names)
  if (concerned.length > 0) {
    const rows = concerned.map(({ id, source_branch }) => ({
      merge_request_id: id,
      user_id,
      head_oid: tips.get(source_branch) ?? null,
      created_at: at,
    }))
    await insertPending(tx, rows)
    await enqueue(tx, refreshVersionsJob, { project_id })
  }
  const targets = new Set((await openOnes(tx, 'target', project_id, names)).map(({ target_branch }) => target_branch))
  const branches = moved.filter(({ branch, isNew }) => !isNew && targets.has(branch))
  if (branches.length > 0) await enqueue(tx, followTargetsJob, { project_id, user_id, branches })
}

/** Its source may have moved while it was closed. */
export function lookAgain(tx: Tx, { merge_request, actor_id, at }: EventOf<'merge_request_reopened'>): Promise<void> {
  return lookAtBranches(tx, merge_request, actor_id, at)
}

export async function followNewTarget(tx: Tx, event: EventOf<'merge_request_changed'>): Promise<void> {
  const { merge_request, before, actor_id, at } = event
  if (merge_request.target_branch !== before.target_branch) await lookAtBranches(tx, merge_request, actor_id, at)
}

async function lookAtBranches(
  tx: Tx,
  { id, project_id }: EventOf<'merge_request_reopened'>['merge_request'],
  user_id: number,
  created_at: string,
): Promise<void> {
  await insertPending(tx, [{ merge_request_id: id, user_id, head_oid: null, created_at }])
  await enqueue(tx, refreshVersionsJob, { project_id })
}

/** The Ghost User becomes the author of pending versions. */
export function leavePendingToGhost(tx: Tx, { user_id, ghost_id }: EventOf<'user_deleted'>): Promise<void> {
  return movePending(tx, user_id, ghost_id)
}
