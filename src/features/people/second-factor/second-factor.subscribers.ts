/** What second factors do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deletePendingOf } from './second-factor.queries.ts'

/** The password that began them is another now, or nobody signs in with it. */
export function endPendingSignIns(tx: Tx, { user_id }: EventOf<'user_blocked' | 'user_password_changed'>): Promise<void> {
  return deletePendingOf(tx, user_id)
}
