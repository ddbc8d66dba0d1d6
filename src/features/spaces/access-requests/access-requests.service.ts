/** The rules of access requests: who may request access, and what happens then. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing } from '../../../failure.ts'
import { enrol, findMember, lockPlace, type Member, type Place } from '../members/members.ts'
import { deleteAccessRequest, findRequester, insertAccessRequest, type Requester } from './access-requests.queries.ts'

/** Requests access for the user. Throws 400 if there is already a request, 403 if the user has become a member meanwhile. */
export async function requestAccess(app: App, place: Place, user: User): Promise<Requester> {
  try {
    return await inTransaction(app.db, async (tx) => {
      await lockPlace(tx, place)
      if (await findMember(tx, place, user.id)) throw forbidden()
      await insertAccessRequest(tx, place, user.id)
      await publish(tx, { type: 'access_requested', place, user_id: user.id, at: now() })
      // Read in the transaction: when the user becomes a member afterwards, the request is removed.
      return requireRequester(tx, place, user.id)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid({ user_id: ['already exists in source'] }, error) : error
  }
}

/** Throws 404 if the user has no request. */
export function getRequester(app: App, place: Place, userId: number): Promise<Requester> {
  return requireRequester(app.db, place, userId)
}

async function requireRequester(db: Db, place: Place, userId: number): Promise<Requester> {
  const requester = await findRequester(db, place, userId)
  if (!requester) throw missing()
  return requester
}

/**
 * Makes the requester a member. Of two concurrent decisions, one wins. Throws 404 if the request was already decided, and otherwise as
 * `enrol` does.
 */
export async function approveAccessRequest(app: App, place: Place, requester: Requester, level: number): Promise<Member> {
  const membership = { user_id: requester.id, access_level: level, expires_at: null }
  const created_at = await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    if (!(await deleteAccessRequest(tx, place, requester.id))) throw missing()
    return enrol(tx, place, membership, 'approved')
  })
  return { ...requester, ...membership, created_at }
}

/** Withdrawn by the requester, or denied by users who manage the place. Throws 404 if it no longer exists. */
export async function removeAccessRequest(app: App, place: Place, userId: number, by: Pick<User, 'id'>): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await deleteAccessRequest(tx, place, userId))) throw missing()
    if (by.id !== userId) await publish(tx, { type: 'access_denied', place, user_id: userId, at: now() })
  })
}
