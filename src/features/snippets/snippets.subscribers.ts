/** Deletes snippets with their author. */
import type { Tx } from '../../db/database.ts'
import type { EventOf } from '../../domain-events/events.ts'
import { deleteSnippetsOf } from './snippets.queries.ts'

/** Also deletes those in projects, since nobody else has written them. */
export function removeSnippetsOf(tx: Tx, { user_id }: EventOf<'user_deleted'>): Promise<void> {
  return deleteSnippetsOf(tx, user_id)
}
