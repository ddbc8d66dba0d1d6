/** What sessions do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteSessionsOf } from './sessions.queries.ts'

/** Those of an administrator begin anew: who has seen the cookie before has no part in the rights after. */
export function endSessions(tx: Tx, { user_id }: EventOf<'user_blocked' | 'user_promoted'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, null)
}

/** All but the one in which the password was chosen, or the second factor set up. */
export function endOtherSessions(tx: Tx, { user_id, session }: EventOf<'user_password_changed' | 'second_factor_enabled'>): Promise<void> {
  return deleteSessionsOf(tx, user_id, session)
}
