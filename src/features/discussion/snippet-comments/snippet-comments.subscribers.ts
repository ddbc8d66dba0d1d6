/** Comments on personal snippets go to the ghost user when their author is deleted, or with a hard delete go themselves. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { countComments, countCommentsBy, deleteCommentsBy, moveComments } from './snippet-comments.queries.ts'

export async function leaveSnippetCommentsToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (!hard_delete) return moveComments(tx, user_id, ghost_id)
  for (const { snippet_id, number } of await countCommentsBy(tx, user_id)) await countComments(tx, snippet_id, -number)
  await deleteCommentsBy(tx, user_id)
}
