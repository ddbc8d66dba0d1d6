/** What becomes of a request when its user is made a member in any way. */
import type { Db } from '../../../db/database.ts'
import type { Place } from '../members/members.service.ts'
import { deleteRequest } from './access-requests.queries.ts'

/** Part of the transaction that makes the user a member: he has what he asked for. */
export async function forgetAccessRequest(tx: Db, place: Place, userId: number): Promise<void> {
  await deleteRequest(tx, place, userId)
}
