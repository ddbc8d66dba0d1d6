/** Closes merge requests from a fork that leaves its network. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { closeMergeRequestIn } from '../merge-requests/merge-requests.ts'
import { openIntoOthers } from './fork-merge-requests.queries.ts'

/** Closes the open merge requests of a project that is no longer a fork. */
export async function closeMergeRequestsOfEndedFork(tx: Tx, { project_id, actor_id }: EventOf<'fork_ended'>): Promise<void> {
  for (const merge_request of await openIntoOthers(tx, project_id)) await closeMergeRequestIn(tx, actor_id, merge_request)
}

/**
 * Closes those of a deleted project. The event has no actor: it may be an administrator, or the deletion may follow from that of a group.
 * So the author of each merge request counts as the actor.
 */
export async function closeMergeRequestsOfRemoved(tx: Tx, { project_id }: EventOf<'project_removed'>): Promise<void> {
  for (const merge_request of await openIntoOthers(tx, project_id)) await closeMergeRequestIn(tx, merge_request.author_id, merge_request)
}
