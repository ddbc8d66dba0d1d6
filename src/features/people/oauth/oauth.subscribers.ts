/** How OAuth grants react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { revokeGrantsOf } from './oauth.queries.ts'

/** An account that is unblocked later doesn't get its grants back. */
export async function revokeGrants(tx: Tx, { user_id }: EventOf<'user_blocked'>): Promise<void> {
  await revokeGrantsOf(tx, user_id)
}
