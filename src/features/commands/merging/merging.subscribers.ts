/** How pushes affect merge requests, in the transaction that records the push. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { nullIfMissing } from '../../../failure.ts'
import { branchOf, isCreation, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { enqueue } from '../../../queue/queue.ts'
import { scheduledAfter, withChangesOf } from '../../review/dependencies/dependencies.ts'
import { changeMergeRequestIn, isQueuedBehind, openWithHead } from '../../review/merge-requests/merge-requests.ts'
import { refreshMergeabilityJob } from '../../review/mergeability/mergeability.ts'
import { closeWithoutSource, markMerged, unlock, unschedule } from './marking.ts'
import { followPushJob } from './merging.jobs.ts'
import { isProposed, lastMergedFrom, lockedOnes, openFrom, openInto, scheduledIn, targetsAmong } from './merging.queries.ts'
import { restackJob } from './restack.jobs.ts'
import { underWayOf } from './under-way.ts'
import { mergeWaitingJob } from './waiting.jobs.ts'

interface Moved extends RefChange {
  branch: string
}

function movedBranches(changes: RefChange[]): Moved[] {
  return changes.flatMap((change) => {
    const branch = branchOf(change.ref)
    return branch === null ? [] : [{ ...change, branch }]
  })
}

/** Completes a merge whose commit has reached the target branch, also after a crash. */
export async function finishMerges(tx: Tx, { project_id, user_id, at, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const tips = new Map(movedBranches(changes).map(({ branch, after }) => [branch, after]))
  if (tips.size === 0) return
  for (const locked of await lockedOnes(tx, project_id, [...tips.keys()])) {
    const underWay = underWayOf(locked)
    if (!underWay || tips.get(locked.target_branch) !== underWay.tip_oid) continue
    const { tip_oid, own_oid = tip_oid, is_queued = false, closes_issue_ids } = underWay
    const merger_id = (is_queued ? locked.merge_user_id : null) ?? user_id
    await markMerged(tx, locked, { user_id: merger_id, at, commit_oid: own_oid, underWay, closes_issue_ids })
  }
}

/** Reopens a merge request whose target branch has not moved. */
export async function unlockDropped(tx: Tx, { project_id, changes }: EventOf<'push_dropped'>): Promise<void> {
  const tips = new Map(movedBranches(changes).map(({ branch, after }) => [branch, after]))
  if (tips.size === 0) return
  for (const locked of await lockedOnes(tx, project_id, [...tips.keys()]))
    if (underWayOf(locked)?.tip_oid === tips.get(locked.target_branch)) await unlock(tx, locked)
}

/** A push that deletes more branches is one that cleans up. */
const maxRetargeted = 100

/** Pushes to these branches come in bursts. */
const refreshAfter_ms = 2_000

/**
 * Deleting a source branch closes its merge requests, moving it cancels an automatic merge; which merge requests a push to a target branch
 * contains is determined later.
 */
export async function followBranches(tx: Tx, { project_id, user_id, at, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const moved = movedBranches(changes)
  if (moved.length === 0) return
  const names = moved.map(({ branch }) => branch)
  const targets = new Set(await targetsAmong(tx, project_id, names))
  const contained = moved.filter((change) => targets.has(change.branch) && !isCreation(change) && !isDeletion(change))
  const goingOn = new Set(contained.map(({ branch }) => branch))
  const gone = new Set(moved.filter(isDeletion).map(({ branch }) => branch))
  const sources = await openFrom(tx, project_id, names)
  for (const merge_request of sources) {
    const { source_branch, target_branch } = merge_request
    // If the same push also moved the target, it may contain the commits: then it was merged, not closed.
    const isLater = merge_request.project_id === project_id && goingOn.has(target_branch)
    if (gone.has(source_branch) && !isLater) await closeWithoutSource(tx, user_id, merge_request, at)
    else await unschedule(tx, merge_request, user_id, 'source_changed', at)
  }
  if (contained.length > 0) {
    const branches = contained.map(({ branch, before, after }) => ({ branch, before, after }))
    await enqueue(tx, followPushJob, { project_id, user_id, branches, gone: [...gone] })
  }
  if (targets.size > 0 || sources.length > 0)
    await enqueue(tx, refreshMergeabilityJob, { project_id, branches: names }, { delay_ms: refreshAfter_ms })
}

/** For the job that merges what waits. */
export function ifMergingLater({ merge_request }: EventOf<'merge_request_approved' | 'status_check_answered'>) {
  const { id, head_oid, merge_when_pipeline_succeeds } = merge_request
  return merge_when_pipeline_succeeds && head_oid !== null ? { merge_request_id: id, oid: head_oid } : null
}

/** Merges requests that were only waiting for this one. */
export async function mergeBlocked(tx: Tx, { merge_request }: EventOf<'merge_request_merged'>): Promise<void> {
  for (const { id, head_oid } of await scheduledAfter(tx, merge_request.id))
    if (head_oid !== null) await enqueue(tx, mergeWaitingJob, { merge_request_id: id, oid: head_oid })
}

/** Requests with the same change ids were built on it, though their branches were made anew. One statement. */
export async function restackSame(tx: Tx, { merge_request }: EventOf<'merge_request_merged'>): Promise<void> {
  for (const id of await withChangesOf(tx, merge_request))
    await enqueue(tx, restackJob, { merge_request_id: id, below_id: merge_request.id })
}

/** Rebases the requests above one that was itself rebased automatically. */
export async function restackAbove(tx: Tx, { merge_request }: EventOf<'merge_request_restacked'>): Promise<void> {
  const { id: below_id, project_id, source_project_id, source_branch } = merge_request
  if (source_project_id !== project_id) return
  for (const { id } of await openInto(tx, project_id, source_branch)) await enqueue(tx, restackJob, { merge_request_id: id, below_id })
}

/**
 * When the branch of a merged one is deleted, what was built on it goes where that was merged to, and is rebased if it still has its commits. A
 * branch that stays, such as one that is merged into another now and then, keeps what is proposed for it.
 */
export async function retarget(tx: Tx, { project_id, user_id, at, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const gone = movedBranches(changes).filter(isDeletion)
  const user = gone.length > 0 && gone.length <= maxRetargeted ? await userById(tx, user_id) : null
  const access = user && (await findProject(tx, String(project_id), user).catch(nullIfMissing))
  if (!access) return
  for (const { branch } of gone) {
    const merged = await lastMergedFrom(tx, project_id, branch)
    if (!merged || merged.target_branch === branch) continue
    for (const { id, source_branch, source_project_id, ...waiting } of await openInto(tx, project_id, branch)) {
      const isOwn = source_project_id === project_id && source_branch === merged.target_branch
      const there = { source_project_id, source_branch, project_id, target_branch: merged.target_branch }
      // One from the same branch may be open there already: then it stays as it is.
      if (isOwn || isQueuedBehind(waiting) || (await isProposed(tx, there))) continue
      await changeMergeRequestIn(tx, { user, ...access }, id, { target_branch: merged.target_branch }, at)
      await enqueue(tx, restackJob, { merge_request_id: id, below_id: merged.id })
    }
  }
}

/** A scheduled merge may need fewer approvals under the new rules, so it is tried again. */
export async function mergeWithNewRules(tx: Tx, { rule }: EventOf<'approval_rule_changed'>): Promise<void> {
  for (const { id, head_oid } of await scheduledIn(tx, rule)) await enqueue(tx, mergeWaitingJob, { merge_request_id: id, oid: head_oid })
}

/** An automatic merge into one branch must not become one into another branch, which the user who requested it has not seen. */
export async function unscheduleForTarget(tx: Tx, event: EventOf<'merge_request_changed'>): Promise<void> {
  const { before, merge_request, actor_id, at } = event
  if (before.target_branch !== merge_request.target_branch) await unschedule(tx, merge_request, actor_id, 'target_changed', at)
}

export async function mergeWaiting(tx: Tx, { project_id, sha }: EventOf<'pipeline_succeeded'>): Promise<void> {
  for (const { id, merge_when_pipeline_succeeds } of await openWithHead(tx, project_id, sha))
    if (merge_when_pipeline_succeeds) await enqueue(tx, mergeWaitingJob, { merge_request_id: id, oid: sha })
}
