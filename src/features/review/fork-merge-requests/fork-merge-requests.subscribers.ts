/** What becomes of merge requests from a fork that leaves its network. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { closeMergeRequestIn } from '../merge-requests/merge-requests.ts'
import { openIntoOthers } from './fork-merge-requests.queries.ts'

/** A project that is no fork any more proposes nothing to those it was in a network with. */
export async function closeMergeRequestsOfEndedFork(tx: Tx, { project_id, actor_id }: EventOf<'fork_ended'>): Promise<void> {
  for (const merge_request of await openIntoOthers(tx, project_id)) await closeMergeRequestIn(tx, actor_id, merge_request)
}

/**
 * The same of a project that is deleted. Nobody is told who did it: that may be an administrator, or follow from deleting a group. So its
 * author closes it, whose branch it was.
 */
export async function closeMergeRequestsOfRemoved(tx: Tx, { project_id }: EventOf<'project_removed'>): Promise<void> {
  for (const merge_request of await openIntoOthers(tx, project_id)) await closeMergeRequestIn(tx, merge_request.author_id, merge_request)
}
