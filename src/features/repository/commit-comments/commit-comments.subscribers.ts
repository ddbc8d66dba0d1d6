/** What comments on commits do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveComments } from './commit-comments.queries.ts'

export async function leaveCommentsToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (!hard_delete) await moveComments(tx, user_id, ghost_id)
}
