/** What becomes of the planning of a user who is deleted. */
import type { Tx } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { publish } from '../../domain-events/domain-events.ts'
import type { EventOf } from '../../domain-events/events.ts'
import { removeIssueIn } from './issues/issues.ts'
import {
  countVotesAndNotes,
  deleteNotesOf,
  deleteTodosBy,
  issueIdsOf,
  moveAwards,
  moveIssues,
  moveRecords,
  moveTodos,
  notesOf,
  votedIssueIds,
} from './user-deletion.queries.ts'

/**
 * Issues, notes and votes are the Ghost User's from then on, and with `hard_delete` they are deleted. Spent time and what is recorded
 * of changes belong to the issues, and stay. Assignments, subscriptions and their own todos end with the row of the user.
 */
export async function leavePlanningToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (hard_delete) await removeContributions(tx, user_id, ghost_id)
  else await leaveContributions(tx, user_id, ghost_id)
  await moveRecords(tx, user_id, ghost_id)
}

async function leaveContributions(tx: Tx, userId: number, ghostId: number): Promise<void> {
  await moveIssues(tx, userId, ghostId)
  await moveAwards(tx, userId, ghostId)
  await moveTodos(tx, userId, ghostId)
}

async function removeContributions(tx: Tx, userId: number, ghostId: number): Promise<void> {
  for (const id of await issueIdsOf(tx, userId)) await removeIssueIn(tx, ghostId, id)
  const notes = await notesOf(tx, userId)
  for (const note of notes) await publish(tx, { type: 'note_removed', note, actor_id: ghostId, at: now() })
  const touched = [...notes.flatMap(({ issue_id }) => issue_id ?? []), ...(await votedIssueIds(tx, userId))]
  await deleteNotesOf(tx, userId)
  await deleteTodosBy(tx, userId)
  await countVotesAndNotes(tx, [...new Set(touched)], userId)
}
