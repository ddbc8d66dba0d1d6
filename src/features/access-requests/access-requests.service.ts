/** The rules of access requests: who may ask, and what becomes of it. */
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import { type Db, inTransaction, isTaken } from '../../db/database.ts'
import type { User } from '../../db/tables.ts'
import { Failure, forbidden, invalid } from '../../failure.ts'
import { enrol, getMember, type Member, refuseMalformed } from '../members/members.service.ts'
import { deleteRequest, findRequester, insertRequest, type Place, type Requester } from './access-requests.queries.ts'

/** Asks for the user. Throws 400 when he has asked already. Whether he may is for the caller to know. */
export async function requestAccess(app: App, place: Place, user: User): Promise<Requester> {
  try {
    await inTransaction(app.db, (tx) => insertRequest(tx, place, user.id))
  } catch (error) {
    throw isTaken(error) ? invalid({ user_id: ['already exists in source'] }, error) : error
  }
  return getRequester(app, place, user.id)
}

export async function getRequester(app: App, place: Place, userId: number): Promise<Requester> {
  const requester = await findRequester(app.db, place, userId)
  if (!requester) throw noRequest()
  return requester
}

/** Makes him who asked a member. Of two who approve at once, or one who approves and one who refuses, one is right. */
export async function approveRequest(app: App, place: Place, userId: number, level: number = accessLevels.developer): Promise<Member> {
  await getRequester(app, place, userId)
  const membership = { user_id: userId, access_level: level, expires_at: null }
  refuseMalformed(place, membership)
  try {
    await inTransaction(app.db, async (tx) => {
      if (!(await deleteRequest(tx, place, userId))) throw noRequest()
      await enrol(tx, place, membership)
    })
  } catch (error) {
    throw isTaken(error) ? new Failure('conflict', 'Member already exists', { cause: error }) : error
  }
  return getMember(app, place, userId)
}

/** Withdrawn by him who asked, or refused by who manages the place. */
export async function removeRequest(app: App, place: Place, userId: number): Promise<void> {
  if (!(await deleteRequest(app.db, place, userId))) throw noRequest()
}

/** Part of the transaction that makes the user a member. */
export async function forgetAccessRequest(tx: Db, place: Place, userId: number): Promise<void> {
  await deleteRequest(tx, place, userId)
}

/** Nobody asks for what he has, nor where nobody is asked for. */
export function refuseUnlessOpen(open: boolean, level: number): void {
  if (!open || level > 0) throw forbidden()
}

function noRequest(): Failure {
  return new Failure('not_found', '404 Not found')
}
