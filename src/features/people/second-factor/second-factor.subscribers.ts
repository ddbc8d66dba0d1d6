/** How second factors react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deletePendingOf } from './second-factor.queries.ts'

/** Pending sign-ins end, since their password has changed, or nobody may sign in with it. */
export function endPendingSignIns(tx: Tx, { user_id }: EventOf<'user_blocked' | 'user_password_changed'>): Promise<void> {
  return deletePendingOf(tx, user_id)
}
