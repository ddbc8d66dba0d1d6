/** Marks merge requests as being merged, as merged, and as open again if the merge failed. */

import { userById } from '../../../access/users.ts'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { Failure } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import {
  closeMergeRequestIn,
  isQueued,
  lockMergeRequest,
  noWaitingMerge,
  updateMergeRequest,
} from '../../review/merge-requests/merge-requests.ts'
import { closeIssues } from './closing.ts'
import { addClosedIssues } from './merging.queries.ts'
import { removeSourceJob } from './removal.jobs.ts'
import { asUnderWay, type UnderWay, underWayOf } from './under-way.ts'

/** Thrown if it is too late: it is merged, closed, or being merged by someone else. */
export function notOpen(): Failure {
  return new Failure('method_not_allowed', '405 Method Not Allowed')
}

/**
 * Locks it, in the transaction that opens the intent of the push into `target_branch`. Throws 405 if it is no longer open, or goes to another
 * branch.
 */
export async function lockForMerge(tx: Tx, id: number, underWay: UnderWay, target_branch: string): Promise<MergeRequest> {
  const found = await lockMergeRequest(tx, id)
  if (found?.state !== 'opened' || found.target_branch !== (underWay.stacked_branch ?? target_branch)) throw notOpen()
  return updateMergeRequest(tx, id, { state: 'locked', merge_under_way: asUnderWay(underWay), merge_error: null, target_branch })
}

/** Cancels the automatic merge, also by a queue; does nothing if none was scheduled. */
export async function unschedule(
  tx: Tx,
  known: MergeRequest,
  actor_id: number,
  reason: EventOf<'merge_request_merge_unscheduled'>['reason'],
  at: Instant = now(),
): Promise<MergeRequest> {
  if (!known.merge_when_pipeline_succeeds) return known
  const merge_request = await updateMergeRequest(tx, known.id, noWaitingMerge)
  if (isQueued(known)) await publish(tx, { type: 'merge_request_unqueued', merge_request, actor_id, at, because: whyUnqueued[reason] })
  else await publish(tx, { type: 'merge_request_merge_unscheduled', merge_request, actor_id, at, reason })
  return merge_request
}

const whyUnqueued = {
  canceled: null,
  source_changed: 'its source branch was updated',
  target_changed: 'its target branch was changed',
}

/** The merge did not happen. */
export async function unlock(tx: Tx, locked: MergeRequest): Promise<void> {
  const target_branch = underWayOf(locked)?.stacked_branch ?? locked.target_branch
  await updateMergeRequest(tx, locked.id, { state: 'opened', merge_under_way: null, target_branch })
}

export interface Merged {
  user_id: number
  at: Instant
  /** The commit of the target branch that merges it. */
  commit_oid: string
  /** Null if it was merged by an ordinary push. */
  underWay: UnderWay | null
  closes_issue_ids: number[]
}

/** Marks it as merged, with everything that follows from it. */
export async function markMerged(
  tx: Tx,
  { id }: MergeRequest,
  { user_id, at, commit_oid, underWay, closes_issue_ids }: Merged,
): Promise<void> {
  const merge_request = await updateMergeRequest(tx, id, {
    state: 'merged',
    merged_at: at,
    merged_by_id: user_id,
    updated_at: at,
    merge_status: 'can_be_merged',
    merge_when_pipeline_succeeds: false,
    merge_under_way: null,
    merge_error: null,
    ...(underWay && {
      head_oid: underWay.head_oid,
      merge_commit_oid: underWay.merge_commit_oid,
      squash_commit_oid: underWay.squash_commit_oid,
    }),
  })
  await publish(tx, {
    type: 'merge_request_merged',
    merge_request,
    actor_id: user_id,
    at,
    commit_oid,
    stacked_branch: underWay?.stacked_branch,
  })
  // The issues that its last commits close may not have been recorded yet.
  await addClosedIssues(tx, id, closes_issue_ids)
  const user = closes_issue_ids.length > 0 ? await userById(tx, user_id) : null
  if (user) await closeIssues(tx, user, merge_request, closes_issue_ids)
  if (underWay?.should_remove_source) await enqueue(tx, removeSourceJob, { merge_request_id: id })
}

/** Closes an open merge request whose source branch was deleted. */
export async function closeWithoutSource(tx: Tx, actor_id: number, merge_request: MergeRequest, at: Instant = now()): Promise<void> {
  if (merge_request.state !== 'opened') return
  await publish(tx, { type: 'merge_request_source_deleted', merge_request, actor_id, at })
  await closeMergeRequestIn(tx, actor_id, merge_request, at)
}
