/** The rules of membership. */
import { accessLevels, memberLevels } from '../../access/levels.ts'
import { findUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import { type Db, inTransaction, isTaken } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import type { Day } from '../../db/tables.ts'
import { Failure, forbidden, invalid, notFound } from '../../failure.ts'
import { requireUnmodified } from '../../http/unmodified.ts'
import { forgetAccessRequest } from '../access-requests/access-requests.service.ts'
import {
  countLastingOwners,
  deleteExpired,
  deleteMember,
  expiredMember,
  findMember,
  insertMember,
  insertMemberEvents,
  lockPlace,
  type Member,
  type Membership,
  type Place,
  updateMember,
} from './members.queries.ts'

export async function getMember(app: App, place: Place, userId: number): Promise<Member> {
  return required(await findMember(app.db, place, userId))
}

function required<M extends Member>(member: M | null): M {
  if (!member) throw new Failure('not_found', '404 Not found')
  return member
}

/** Throws 409 when the user is a member already, 404 when there is no such user, 400 for a level or date that can't be. */
export async function addMember(app: App, place: Place, membership: Membership): Promise<Member> {
  const user = await findUser(app.db, String(membership.user_id))
  // The Ghost User is nobody: a group he alone owned could be changed by nobody.
  if (user?.kind !== 'human') throw notFound('User')
  refuseMalformed(place, membership)
  try {
    await inTransaction(app.db, (tx) => enrol(tx, place, membership))
  } catch (error) {
    throw isTaken(error) ? new Failure('conflict', 'Member already exists', { cause: error }) : error
  }
  return getMember(app, place, user.id)
}

/** Part of a transaction: makes the user a member, who need not ask for it any longer. Fails on a unique index if he is one. */
export async function enrol(tx: Db, place: Place, membership: Membership): Promise<void> {
  // A membership that has run out is in nobody's way.
  await removeExpired(tx, await expiredMember(tx, place, membership.user_id))
  await insertMember(tx, place, membership)
  await forgetAccessRequest(tx, place, membership.user_id)
  if ('project_id' in place) await insertMemberEvents(tx, 'joined', [{ ...place, user_id: membership.user_id }])
}

/** What is not given stays as it is. */
export interface MemberChange {
  access_level: number
  expires_at?: Day | null | undefined
}

export async function changeMember(app: App, place: Place, userId: number, change: MemberChange): Promise<Member> {
  await getMember(app, place, userId)
  refuseMalformed(place, change)
  await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    const before = required(await findMember(tx, place, userId))
    const { access_level, expires_at } = change
    await updateMember(tx, place, userId, { access_level, ...(expires_at !== undefined && { expires_at }) })
    await keepAnOwner(tx, place, before)
  })
  return getMember(app, place, userId)
}

/** Throws 412 when the membership has changed `since`. */
export async function removeMember(app: App, place: Place, userId: number, since: Date | null): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    const before = required(await findMember(tx, place, userId))
    requireUnmodified(since, before.changed_at)
    await deleteMember(tx, place, userId)
    await keepAnOwner(tx, place, before)
    if ('project_id' in place) await insertMemberEvents(tx, 'left', [{ ...place, user_id: userId }])
  })
}

/** Part of a transaction: those of these memberships that have run out are removed, and the projects told of it. */
export async function removeExpired(tx: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const gone = await deleteExpired(tx, ids)
  await insertMemberEvents(
    tx,
    'expired',
    gone.flatMap(({ project_id, user_id }) => (project_id === null ? [] : [{ project_id, user_id }])),
  )
}

/** A group without an owner could be changed by nobody: one of them is so for good. */
async function keepAnOwner(tx: Db, place: Place, before: Member): Promise<void> {
  if (!('namespace_id' in place) || before.access_level < accessLevels.owner) return
  if ((await countLastingOwners(tx, place.namespace_id)) === 0) throw forbidden('The last owner of a group cannot leave it')
}

/** Throws 400 for a level the place doesn't have and for a date that has come. */
export function refuseMalformed(place: Place, { access_level, expires_at = null }: MemberChange): void {
  const allowed = memberLevels.filter((level) => 'namespace_id' in place || level < accessLevels.owner)
  if (!allowed.some((level) => level === access_level)) throw invalid({ access_level: ['is not included in the list'] })
  if (expires_at !== null && expires_at <= today()) throw invalid({ expires_at: ['cannot be a date in the past'] })
}

export { insertMember, type Member, type Membership, type Place } from './members.queries.ts'
