/** SQL for members of projects and groups. */
import { type ExpressionBuilder, sql } from 'kysely'
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import type { Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Day, Instant, Tables, User } from '../../../db/tables.ts'
import type { EndedMembership } from '../../../domain-events/member-events.ts'
import { lockNamespace } from '../../namespaces/namespaces.ts'
import { hasAddress, type UserInBrief, type UserSearch } from '../../people/users/users.ts'
import { lockProject } from '../projects/projects.ts'

/** The project or group of a membership. */
export type Place = { project_id: number } | { namespace_id: number }

export interface Membership {
  user_id: number
  access_level: number
  expires_at: Day | null
}

/** A member with the columns of the user. */
export type Member = Membership & UserInBrief & { created_at: Instant }

/** Filters of the list. */
export interface MemberSearch extends UserSearch {
  user_ids?: number[] | undefined
  skip_users?: number[] | undefined
}

/** When the membership was created, or last changed. */
export interface Dated {
  changed_at: Instant
}

/** Whether the member is a person or the bot user of a token. */
export interface OfKind {
  kind: User['kind']
}

/** The columns of `users` that a member needs. */
export const userColumns = ['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'] as const

/**
 * Users whose name or username contains the words, or whose exact email address they are, if the viewer may know it. For a query over
 * `users`.
 */
function isCalled(words: string, viewer: Viewer) {
  return ({ or }: ExpressionBuilder<Tables, 'users'>) =>
    or([contains('users.name', words), contains('users.username', words), hasAddress(words, viewer)])
}

/** For a query over `users`. */
export function isSought({ words, actor, user_ids, skip_users }: MemberSearch) {
  return (eb: ExpressionBuilder<Tables, 'users'>) =>
    eb.and([
      ...(words ? [isCalled(words, actor)(eb)] : []),
      ...(user_ids ? [eb('users.id', 'in', [0, ...user_ids])] : []),
      ...(skip_users?.length ? [eb('users.id', 'not in', skip_users)] : []),
    ])
}

/** Returns the time of creation. */
export async function insertMember(db: Db, place: Place, membership: Membership): Promise<Instant> {
  const created_at = now()
  await db
    .insertInto('members')
    .values({ project_id: null, namespace_id: null, ...place, ...membership, created_at })
    .execute()
  return created_at
}

/** For a query over `members`. */
function isAt(place: Place) {
  return (eb: ExpressionBuilder<Tables, 'members'>) =>
    'project_id' in place ? eb('members.project_id', '=', place.project_id) : eb('members.namespace_id', '=', place.namespace_id)
}

function membersAt(db: Db, place: Place) {
  const members = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([...userColumns, 'users.kind', 'members.user_id', 'members.access_level', 'members.expires_at', 'members.created_at'])
    .select((eb) => eb.fn.coalesce('members.updated_at', 'members.created_at').as('changed_at'))
  return members.where(isAt(place)).where(notExpired())
}

export function listMembers(db: Db, place: Place, search: MemberSearch, page: PageOf): Promise<{ rows: Member[]; total: number }> {
  return paginate(membersAt(db, place).where(isSought(search)).orderBy('members.id'), page)
}

/** All direct members of a place. */
export function everyMember(db: Db, place: Place): Promise<Array<Member & OfKind>> {
  return membersAt(db, place).orderBy('members.id').execute()
}

/** A membership of a user, with its project or group. */
export interface OwnMembership {
  source_id: number
  source_name: string
  source_type: 'Project' | 'Namespace'
  access_level: number
}

/** The memberships of a user, in projects, groups or both: two statements. */
export function listMemberships(
  db: Db,
  userId: number,
  type: OwnMembership['source_type'] | undefined,
  page: PageOf,
): Promise<{ rows: OwnMembership[]; total: number }> {
  let query = db
    .selectFrom('members')
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select((eb) => [
      'members.access_level',
      eb.fn.coalesce('members.project_id', 'members.namespace_id').$castTo<number>().as('source_id'),
      eb.fn.coalesce('projects.name', 'namespaces.name').$castTo<string>().as('source_name'),
      sql<OwnMembership['source_type']>`case when members.project_id is null then 'Namespace' else 'Project' end`.as('source_type'),
    ])
    .where('members.user_id', '=', userId)
    .where(notExpired())
  if (type) query = query.where(type === 'Project' ? 'members.project_id' : 'members.namespace_id', 'is not', null)
  return paginate(query.orderBy('members.id'), page)
}

/** Null without a direct membership that hasn't expired. */
export async function findMember(db: Db, place: Place, userId: number): Promise<(Member & Dated & OfKind) | null> {
  return (await membersAt(db, place).where('members.user_id', '=', userId).executeTakeFirst()) ?? null
}

export async function updateMember(db: Db, place: Place, userId: number, change: Partial<Membership>): Promise<void> {
  const changed = db.updateTable('members').set({ ...change, updated_at: now() })
  await changed.where(isAt(place)).where('user_id', '=', userId).execute()
}

export async function deleteMember(db: Db, place: Place, userId: number): Promise<void> {
  await db.deleteFrom('members').where(isAt(place)).where('user_id', '=', userId).execute()
}

/** The expired membership of a user, if there is one. */
export async function expiredMembershipOf(db: Db, place: Place, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('id')
    .where(isAt(place))
    .where('user_id', '=', userId)
    .where((eb) => eb.not(notExpired()))
    .execute()
  return rows.map(({ id }) => id)
}

/** At most `limit` expired memberships. */
export async function expiredMemberships(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('id')
    .where((eb) => eb.not(notExpired()))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes those of these memberships that are still expired; returns their users and places. */
export async function deleteExpired(db: Db, ids: number[]): Promise<Array<{ place: Place; user_id: number; was: EndedMembership }>> {
  const deleted = await db
    .deleteFrom('members')
    .where('id', 'in', ids)
    .where((eb) => eb.not(notExpired()))
    .returning(['project_id', 'namespace_id', 'user_id', 'access_level', 'expires_at', 'created_at'])
    .execute()
  return deleted.map(({ project_id, namespace_id, user_id, ...was }) => ({
    place: project_id === null ? { namespace_id: namespace_id as number } : { project_id },
    user_id,
    was,
  }))
}

/**
 * Locks the members and access requests of the place until the transaction ends: two last owners can't leave at once, and a new member has
 * no access request left.
 */
export async function lockPlace(db: Db, place: Place): Promise<void> {
  if ('project_id' in place) await lockProject(db, place.project_id)
  else await lockNamespace(db, place.namespace_id)
}

/** The number of people who own the group without an expiry. Bot users don't count, as they go with their token. */
export async function countLastingOwners(db: Db, namespaceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('users.kind', '=', 'human')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', namespaceId)
    .where('access_level', '>=', accessLevels.owner)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
