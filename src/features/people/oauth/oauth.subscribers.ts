/** How OAuth grants react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { revokeGrantsOf } from './oauth.queries.ts'

/** An account that is unblocked later doesn't get back what others held of it; one that was only deactivated does. */
export async function revokeGrants(tx: Tx, { user_id, state }: EventOf<'user_blocked'>): Promise<void> {
  if (state !== 'deactivated') await revokeGrantsOf(tx, user_id)
}
