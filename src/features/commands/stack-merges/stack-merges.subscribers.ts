/** Continues a stack after each merge in it, and ends it when something prevents the next one. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { leaveAbove, leaveStack } from './leaving.service.ts'
import { followBelowJob, followLater, mergeStackedJob } from './stack-merges.jobs.ts'
import { acceptRebased, deleteStackedMerge, stackedMergeOf, stackedMergesAt, stackedMergesOfCommit } from './stack-merges.queries.ts'

/** Starts the merges that waited for this one. One statement if there are none. */
export async function goOn(tx: Tx, { merge_request: { id } }: EventOf<'merge_request_merged'>): Promise<void> {
  for (const { merge_request_id } of await stackedMergesAt(tx, id)) {
    if (merge_request_id === id) await deleteStackedMerge(tx, id)
    else await enqueue(tx, mergeStackedJob, { merge_request_id })
  }
}

/** Only after the one below has a place in the queue can those above it get theirs. One statement if there are none. */
export function enterBehind(tx: Tx, { merge_request }: EventOf<'merge_request_queued'>): Promise<void> {
  return followLater(tx, merge_request)
}

/** This may have removed the last obstacle to a place in the queue. One statement if it isn't part of a stack that is being merged. */
export async function enterApproved(
  tx: Tx,
  { merge_request: { id: merge_request_id } }: EventOf<'merge_request_approved' | 'status_check_answered'>,
): Promise<void> {
  if (await stackedMergeOf(tx, merge_request_id)) await enqueue(tx, mergeStackedJob, { merge_request_id })
}

export async function enterTested(tx: Tx, { project_id, sha }: EventOf<'pipeline_succeeded'>): Promise<void> {
  for (const merge_request_id of await stackedMergesOfCommit(tx, project_id, sha)) await enqueue(tx, mergeStackedJob, { merge_request_id })
}

/** Ends the part of the stack above: its merge requests can't be merged without this one. */
export async function endStack(
  tx: Tx,
  {
    type,
    merge_request,
    actor_id,
  }: EventOf<'merge_request_unqueued' | 'merge_request_merge_unscheduled' | 'merge_request_closed' | 'merge_request_removed'>,
): Promise<void> {
  if (type === 'merge_request_unqueued') await leaveQueue(tx, merge_request.id)
  if (type === 'merge_request_closed') await leaveStack(tx, merge_request.id, actor_id, 'it was closed')
  await leaveAbove(tx, merge_request, actor_id, `!${merge_request.iid} ${endings[type]}`)
}

/** If the one below was merged already, this one is retargeted to where that went, as it would be without a queue. */
async function leaveQueue(tx: Tx, id: number): Promise<void> {
  const waiting = await stackedMergeOf(tx, id)
  if (!waiting) return
  const { merge_request_id, below_id, user_id } = waiting
  await deleteStackedMerge(tx, id)
  await enqueue(tx, followBelowJob, { merge_request_id, below_id, user_id })
}

const endings = {
  merge_request_unqueued: 'has left the merge queue',
  merge_request_merge_unscheduled: 'is no longer merged automatically',
  merge_request_closed: 'was closed',
  merge_request_removed: 'was deleted',
} as const

/** A rebase that the stack made necessary changes nothing about what was to be merged. */
export function keepRebased(tx: Tx, { merge_request, before_oid, after_oid }: EventOf<'merge_request_restacked'>): Promise<void> {
  return acceptRebased(tx, merge_request.id, before_oid, after_oid)
}
