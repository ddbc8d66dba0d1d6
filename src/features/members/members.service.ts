/** The rules of membership. */
import { accessLevels, memberLevels } from '../../access/levels.ts'
import { findUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import { inTransaction, isTaken } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import { Failure, forbidden, invalid, notFound } from '../../failure.ts'
import {
  countOwners,
  deleteExpiredMember,
  deleteMember,
  findMember,
  insertMember,
  lockPlace,
  type Member,
  type Membership,
  type Place,
  updateMember,
} from './members.queries.ts'

export async function getMember(app: App, place: Place, userId: number): Promise<Member> {
  const member = await findMember(app.db, place, userId)
  if (!member) throw new Failure('not_found', '404 Not found')
  return member
}

/** Throws 409 when the user is a member already, 404 when there is no such user, 400 for a level or date that can't be. */
export async function addMember(app: App, place: Place, membership: Membership): Promise<Member> {
  const user = await findUser(app.db, String(membership.user_id))
  if (!user) throw notFound('User')
  refuseMalformed(place, membership)
  try {
    await inTransaction(app.db, async (tx) => {
      // A membership that has run out is in nobody's way.
      await deleteExpiredMember(tx, place, user.id)
      await insertMember(tx, place, membership)
    })
  } catch (error) {
    throw isTaken(error) ? new Failure('conflict', 'Member already exists', { cause: error }) : error
  }
  return getMember(app, place, user.id)
}

export async function changeMember(app: App, place: Place, userId: number, change: Omit<Membership, 'user_id'>): Promise<Member> {
  const member = await getMember(app, place, userId)
  refuseMalformed(place, change)
  await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    await updateMember(tx, place, userId, change)
    if (change.access_level < accessLevels.owner) await keepAnOwner(tx, place, member)
  })
  return getMember(app, place, userId)
}

export async function removeMember(app: App, place: Place, userId: number): Promise<void> {
  const member = await getMember(app, place, userId)
  await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    await deleteMember(tx, place, userId)
    await keepAnOwner(tx, place, member)
  })
}

/** A group without an owner could be changed by nobody. */
async function keepAnOwner(db: App['db'], place: Place, before: Member): Promise<void> {
  if ('namespace_id' in place && before.access_level >= accessLevels.owner && (await countOwners(db, place.namespace_id)) === 0) {
    throw forbidden('The last owner of a group cannot leave it')
  }
}

function refuseMalformed(place: Place, { access_level, expires_at }: Omit<Membership, 'user_id'>): void {
  const allowed = memberLevels.filter((level) => 'namespace_id' in place || level < accessLevels.owner)
  if (!allowed.some((level) => level === access_level)) throw invalid({ access_level: ['is not included in the list'] })
  if (expires_at !== null && expires_at <= today()) throw invalid({ expires_at: ['cannot be a date in the past'] })
}

export { insertMember }
