/** Rules of membership. */
import { accessLevels, memberLevels } from '../../../access/levels.ts'
import { findUser } from '../../../access/users.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { Day, Instant } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { Failure, forbidden, invalid, missing, notFound } from '../../../failure.ts'
import { mayJoin } from '../../people/service-accounts/service-accounts.ts'
import { findAnyMember, type Whole } from './inherited.queries.ts'
import {
  countLastingOwners,
  type Dated,
  deleteExpired,
  deleteMember,
  everyMember,
  expiredMembershipOf,
  findMember,
  insertMember,
  lockPlace,
  type Member,
  type Membership,
  type OfKind,
  type Place,
  updateMember,
} from './members.queries.ts'

/** Throws 404 for users without a direct membership. */
export async function getMember(app: App, place: Place, userId: number): Promise<Member & Dated & OfKind> {
  return required(await findMember(app.db, place, userId))
}

/** As `getMember`, but also for members by inheritance or by a share. */
export async function getAnyMember(app: App, viewer: Viewer, place: Whole, userId: number): Promise<Member> {
  return required(await findAnyMember(app.db, viewer, place, userId))
}

function required<M extends Member>(member: M | null): M {
  if (!member) throw missing()
  return member
}

/**
 * Adds a member. An expiry in the past is valid: the membership has ended then. Throws 409 if the user is already a member, 404 if there is
 * no such user, 400 for an invalid level.
 */
export async function addMember(app: App, place: Place, membership: Membership): Promise<Member> {
  if (await findMember(app.db, place, membership.user_id)) throw alreadyMember()
  const user = await findUser(app.db, String(membership.user_id))
  // Not the Ghost User: nobody could change a group that it alone owned.
  if (!user || (user.kind !== 'human' && user.kind !== 'service_account')) throw notFound('User')
  if (user.kind === 'service_account' && !(await mayJoin(app.db, user.id, place)))
    throw invalid('This service account belongs to another project or group.')
  const created_at = await inTransaction(app.db, (tx) => enrol(tx, place, membership, 'added'))
  return { ...user, ...membership, created_at }
}

/**
 * Part of a transaction: adds an existing user as a member, and removes their access request. Throws 400 for an invalid level, and 409 if
 * the user is already a member. Returns the time of creation.
 */
export async function enrol(tx: Tx, place: Place, membership: Membership, how: EventOf<'member_added'>['how'] = 'own'): Promise<Instant> {
  const { user_id, access_level, expires_at = null } = membership
  assertKnownLevel(place, access_level)
  await lockPlace(tx, place)
  // An expired membership doesn't prevent a new one.
  await removeExpired(tx, await expiredMembershipOf(tx, place, user_id))
  const created_at = await insertMember(tx, place, membership).catch((error: unknown) => {
    throw isUniqueViolation(error) ? alreadyMember(error) : error
  })
  await publish(tx, { type: 'member_added', place, user_id, access_level, expires_at, how })
  return created_at
}

function alreadyMember(cause?: unknown): Failure {
  return new Failure('conflict', 'Member already exists', { cause })
}

/**
 * Adds the direct members of one place to another, with their levels and expiries. Existing members keep theirs; bot users are not copied,
 * as they belong to their tokens. Returns how many were added.
 */
export async function copyMembers(app: App, from: Place, to: Place): Promise<number> {
  return inTransaction(app.db, async (tx) => {
    await lockPlace(tx, to)
    const present = new Set((await everyMember(tx, to)).map(({ user_id }) => user_id))
    const added = (await everyMember(tx, from)).filter(({ user_id, kind }) => kind === 'human' && !present.has(user_id))
    const max = 'namespace_id' in to ? accessLevels.owner : accessLevels.maintainer
    for (const { user_id, access_level, expires_at } of added) {
      await enrol(tx, to, { user_id, access_level: Math.min(access_level, max), expires_at }, 'added')
    }
    return added.length
  })
}

/** Fields that aren't sent are kept. */
export interface MemberChange {
  access_level: number
  expires_at?: Day | null | undefined
}

/** Throws 404 if the user isn't a member here, 400 for an invalid level, 403 if the group would be left without an owner. */
export async function changeMember(app: App, place: Place, userId: number, change: MemberChange): Promise<Member> {
  const { access_level, expires_at } = change
  return inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    const before = required(await findMember(tx, place, userId))
    assertKnownLevel(place, access_level)
    const changed = { access_level, ...(expires_at !== undefined && { expires_at }) }
    await updateMember(tx, place, userId, changed)
    await keepAnOwner(tx, place, before)
    const member = { ...before, ...changed }
    await publish(tx, {
      type: 'member_changed',
      place,
      user_id: userId,
      before,
      access_level,
      expires_at: member.expires_at,
    })
    return member
  })
}

/** Throws 404 and 403, as `changeMember` does. */
export async function removeMember(app: App, place: Place, userId: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    const before = required(await findMember(tx, place, userId))
    await deleteMember(tx, place, userId)
    await keepAnOwner(tx, place, before)
    await publish(tx, { type: 'member_removed', place, user_id: userId, was: before })
  })
}

/** Part of a transaction: removes a bot user if it is still a member. Requires a lock on the place. */
export async function endMembership(tx: Tx, place: Place, user_id: number): Promise<void> {
  const before = await findMember(tx, place, user_id)
  if (!before) return
  await deleteMember(tx, place, user_id)
  await publish(tx, { type: 'member_removed', place, user_id, was: before })
}

/** Part of a transaction: a bot user's membership expires with its token. Requires a lock on the place. */
export function extendMembership(tx: Tx, place: Place, user_id: number, expires_at: Day | null): Promise<void> {
  return updateMember(tx, place, user_id, { expires_at })
}

/** Part of a transaction: removes those of these memberships that have expired. */
export async function removeExpired(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await publish(tx, { type: 'members_expired', members: await deleteExpired(tx, ids) })
}

/** Part of a transaction: makes the user an owner without expiry if the group has none of its own. */
export async function ensureOwner(tx: Tx, namespace_id: number, user_id: number): Promise<void> {
  if ((await countLastingOwners(tx, namespace_id)) > 0) return
  const owning = { access_level: accessLevels.owner, expires_at: null }
  const place = { namespace_id }
  const before = await findMember(tx, place, user_id)
  if (!before) return void (await enrol(tx, place, { user_id, ...owning }))
  await updateMember(tx, place, user_id, owning)
  await publish(tx, { type: 'member_changed', place, user_id, before, ...owning })
}

/** A group without an owner could never be changed, so one owner has to stay whose membership doesn't expire. */
async function keepAnOwner(tx: Db, place: Place, before: Member): Promise<void> {
  if (!('namespace_id' in place) || before.access_level < accessLevels.owner) return
  if ((await countLastingOwners(tx, place.namespace_id)) === 0) throw forbidden('The last owner of a group cannot leave it')
}

/** Throws 400 for a level that can't be. Only groups have owners: a project's is that of its namespace. */
export function assertKnownLevel(place: Place, level: number): void {
  const known = memberLevels.some((one) => one === level && ('namespace_id' in place || one < accessLevels.owner))
  if (!known) throw invalid({ access_level: ['is not included in the list'] })
}
