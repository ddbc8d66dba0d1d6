/** How sessions react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteSessionsOf } from './sessions.queries.ts'

export function endSessions(tx: Tx, { user_id }: EventOf<'user_blocked'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, null)
}

/** Ends the sessions of a new administrator: someone who saw the cookie earlier must not get the new rights. */
export async function endSessionsBefore(tx: Tx, { user_id, admin }: EventOf<'administrator_changed'>): Promise<void> {
  if (admin) await deleteSessionsOf(tx, user_id, null)
}

/** Ends all sessions except the one in which the password was changed or the second factor was set up. */
export function endOtherSessions(tx: Tx, { user_id, session }: EventOf<'user_password_changed' | 'second_factor_enabled'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, session)
}
