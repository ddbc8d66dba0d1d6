/** SQL for members of projects and groups. */
import { notExpired } from '../../access/visible.ts'
import { contains, type Db, type PageOf, pageOf } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Day, EventTable, Instant } from '../../db/tables.ts'
import { lockNamespace } from '../namespaces/namespaces.service.ts'
import type { UserInBrief } from '../users/users.present.ts'

/** Where a membership counts. */
export type Place = { project_id: number } | { namespace_id: number }

export interface Membership {
  user_id: number
  access_level: number
  expires_at: Day | null
}

/** A member with the user he is. */
export type Member = Membership & UserInBrief

/** When the membership was last changed, or made. */
export interface Dated {
  changed_at: Instant
}

export async function insertMember(db: Db, place: Place, membership: Membership): Promise<void> {
  await db
    .insertInto('members')
    .values({ project_id: null, namespace_id: null, ...place, ...membership, created_at: now() })
    .execute()
}

function membersAt(db: Db, place: Place) {
  const query = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([
      'users.id',
      'users.name',
      'users.username',
      'users.state',
      'users.avatar_name',
      'members.user_id',
      'members.access_level',
      'members.expires_at',
    ])
    .select((eb) => eb.fn.coalesce('members.updated_at', 'members.created_at').as('changed_at'))
    .where(notExpired())
  return 'project_id' in place
    ? query.where('members.project_id', '=', place.project_id)
    : query.where('members.namespace_id', '=', place.namespace_id)
}

export function listMembers(db: Db, place: Place, search: string | undefined, page: PageOf): Promise<{ rows: Member[]; total: number }> {
  let query = membersAt(db, place)
  if (search) query = query.where((eb) => eb.or([contains('users.name', search), contains('users.username', search)]))
  return pageOf(query.orderBy('members.id'), page)
}

export async function findMember(db: Db, place: Place, userId: number): Promise<(Member & Dated) | null> {
  return (await membersAt(db, place).where('members.user_id', '=', userId).executeTakeFirst()) ?? null
}

export async function updateMember(db: Db, place: Place, userId: number, change: Partial<Membership>): Promise<void> {
  await at(
    db
      .updateTable('members')
      .set({ ...change, updated_at: now() })
      .where('user_id', '=', userId),
    place,
  ).execute()
}

export async function deleteMember(db: Db, place: Place, userId: number): Promise<void> {
  await at(db.deleteFrom('members').where('user_id', '=', userId), place).execute()
}

/** The membership that has run out, if there is one. */
export async function expiredMember(db: Db, place: Place, userId: number): Promise<number[]> {
  const rows = await at(db.selectFrom('members').select('id').where('user_id', '=', userId), place)
    .where((eb) => eb.not(notExpired()))
    .execute()
  return rows.map(({ id }) => id)
}

/** Some of all memberships that have run out. */
export async function expiredMembers(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('id')
    .where((eb) => eb.not(notExpired()))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Removes those of these memberships that have run out still, and says whose they were. */
export function deleteExpired(db: Db, ids: number[]): Promise<Array<{ project_id: number | null; user_id: number }>> {
  return db
    .deleteFrom('members')
    .where('id', 'in', ids)
    .where((eb) => eb.not(notExpired()))
    .returning(['project_id', 'user_id'])
    .execute()
}

/** Until the transaction ends nobody else changes who is a member here: two last owners can't leave at once. */
export async function lockPlace(db: Db, place: Place): Promise<void> {
  if ('project_id' in place) await db.updateTable('projects').set({ id: place.project_id }).where('id', '=', place.project_id).execute()
  else await lockNamespace(db, place.namespace_id)
}

/** How many of the members of a group own it for good. */
export async function countLastingOwners(db: Db, namespaceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', namespaceId)
    .where('access_level', '>=', 50)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** What the members of a project did or what became of them: events without a target. */
export async function insertMemberEvents(
  db: Db,
  action: EventTable['action'],
  members: Array<{ project_id: number; user_id: number }>,
): Promise<void> {
  if (members.length === 0) return
  const created_at = now()
  const rows = members.map(({ project_id, user_id }) => ({ project_id, author_id: user_id, action, created_at }))
  await db.insertInto('events').values(rows).execute()
}

function at<Q extends { where: (column: 'project_id' | 'namespace_id', op: '=', value: number) => Q }>(query: Q, place: Place): Q {
  return 'project_id' in place ? query.where('project_id', '=', place.project_id) : query.where('namespace_id', '=', place.namespace_id)
}
