/** How access requests react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteAccessRequest } from './access-requests.queries.ts'

/** Deletes the access request of a user who has become a member, in any way. */
export async function removeFulfilledAccessRequest(tx: Tx, { place, user_id }: EventOf<'member_added'>): Promise<void> {
  await deleteAccessRequest(tx, place, user_id)
}
