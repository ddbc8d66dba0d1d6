/** How second factors react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deletePendingOf } from './second-factor.queries.ts'

/** Ends pending sign-ins when the password has changed or the user may no longer sign in. */
export function endPendingSignIns(tx: Tx, { user_id }: EventOf<'user_blocked' | 'user_password_changed'>): Promise<void> {
  return deletePendingOf(tx, user_id)
}
