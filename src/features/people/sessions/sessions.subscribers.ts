/** What sessions do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteSessionsOf } from './sessions.queries.ts'

export function endSessions(tx: Tx, { user_id }: EventOf<'user_blocked'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, null)
}

/** All but the one in which the password was chosen. */
export function endOtherSessions(tx: Tx, { user_id, session }: EventOf<'user_password_changed'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, session)
}
