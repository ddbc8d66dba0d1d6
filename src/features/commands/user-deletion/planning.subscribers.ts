/** Moves the planning contributions of a deleted user to the Ghost User, or deletes them. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { distinctIds } from '../../../db/rows.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { storedKinds } from '../../noteable-kinds.ts'
import { removeIssueIn } from '../../planning/issues/issues.ts'
import { removeMergeRequestIn } from '../../review/merge-requests/merge-requests.ts'
import {
  countVotesAndNotes,
  deleteNotesOf,
  deleteTodosBy,
  idsOf,
  moveAwards,
  moveRecords,
  moveTexts,
  moveTodos,
  notesOf,
  votedOn,
} from './planning.queries.ts'

/**
 * Moves issues, merge requests, notes and votes to the Ghost User, or deletes them with `hard_delete`. Spent time and records of changes
 * belong to their issue or merge request, and are kept. Assignments, subscriptions and the user's own todos are deleted with the row of the
 * user.
 */
export async function leavePlanningToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (hard_delete) await removeContributions(tx, user_id, ghost_id)
  else await leaveContributions(tx, user_id, ghost_id)
  await moveRecords(tx, user_id, ghost_id)
}

async function leaveContributions(tx: Tx, userId: number, ghostId: number): Promise<void> {
  await moveTexts(tx, userId, ghostId)
  await moveAwards(tx, userId, ghostId)
  await moveTodos(tx, userId, ghostId)
}

async function removeContributions(tx: Tx, userId: number, ghostId: number): Promise<void> {
  for (const id of await idsOf(tx, 'issues', userId)) await removeIssueIn(tx, ghostId, id)
  for (const id of await idsOf(tx, 'merge_requests', userId)) await removeMergeRequestIn(tx, ghostId, id)
  const notes = await notesOf(tx, userId)
  for (const note of notes) await publish(tx, { type: 'note_removed', note, actor_id: ghostId, at: now() })
  const touched = [...notes, ...(await votedOn(tx, userId))]
  await deleteNotesOf(tx, userId)
  await deleteTodosBy(tx, userId)
  for (const kind of storedKinds) {
    const ids = distinctIds(touched.map((one) => one[`${kind.name}_id`]))
    await countVotesAndNotes(tx, kind, ids, userId)
  }
}
