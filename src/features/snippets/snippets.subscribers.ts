/** What becomes of snippets when their author goes. */
import type { Tx } from '../../db/database.ts'
import type { EventOf } from '../../domain-events/events.ts'
import { deleteSnippetsOf } from './snippets.queries.ts'

/** They go along, those in projects too: nobody else has written them. */
export function removeSnippetsOf(tx: Tx, { user_id }: EventOf<'user_deleted'>): Promise<void> {
  return deleteSnippetsOf(tx, user_id)
}
