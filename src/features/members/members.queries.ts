/** SQL for members of projects and groups. */
import { sql } from 'kysely'
import { notExpired } from '../../access/visible.ts'
import { contains, type Db, type PageOf, pageOf } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Day } from '../../db/tables.ts'
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

export async function findMember(db: Db, place: Place, userId: number): Promise<Member | null> {
  return (await membersAt(db, place).where('members.user_id', '=', userId).executeTakeFirst()) ?? null
}

/** Members of the place and of every group above it, each with the highest of his levels. */
export function listAllMembers(
  db: Db,
  namespaceId: number,
  projectId: number | null,
  search: string | undefined,
  page: PageOf,
): Promise<{ rows: Member[]; total: number }> {
  const counting = db
    .selectFrom('members')
    .selectAll()
    .select(sql<number>`row_number() over (partition by user_id order by access_level desc, id)`.as('rank'))
    .where(notExpired())
    .where((eb) =>
      eb.or([
        eb(
          'members.namespace_id',
          'in',
          eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespaceId),
        ),
        ...(projectId === null ? [] : [eb('members.project_id', '=', projectId)]),
      ]),
    )
  let query = db
    .selectFrom(counting.as('best'))
    .innerJoin('users', 'users.id', 'best.user_id')
    .select([
      'users.id',
      'users.name',
      'users.username',
      'users.state',
      'users.avatar_name',
      'best.user_id',
      'best.access_level',
      'best.expires_at',
    ])
    .where('best.rank', '=', 1)
  if (search) query = query.where((eb) => eb.or([contains('users.name', search), contains('users.username', search)]))
  return pageOf(query.orderBy('users.id'), page)
}

export async function updateMember(db: Db, place: Place, userId: number, change: Partial<Membership>): Promise<void> {
  await at(db.updateTable('members').set(change).where('user_id', '=', userId), place).execute()
}

export async function deleteMember(db: Db, place: Place, userId: number): Promise<void> {
  await at(db.deleteFrom('members').where('user_id', '=', userId), place).execute()
}

export async function deleteExpiredMember(db: Db, place: Place, userId: number): Promise<void> {
  await at(
    db
      .deleteFrom('members')
      .where('user_id', '=', userId)
      .where((eb) => eb.not(notExpired())),
    place,
  ).execute()
}

/** Until the transaction ends nobody else changes who is a member here: two last owners can't leave at once. */
export async function lockPlace(db: Db, place: Place): Promise<void> {
  if ('project_id' in place) await db.updateTable('projects').set({ id: place.project_id }).where('id', '=', place.project_id).execute()
  else await lockNamespace(db, place.namespace_id)
}

/** How many of the members of a group own it. */
export async function countOwners(db: Db, namespaceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', namespaceId)
    .where('access_level', '>=', 50)
    .where(notExpired())
    .executeTakeFirstOrThrow()
  return count
}

function at<Q extends { where: (column: 'project_id' | 'namespace_id', op: '=', value: number) => Q }>(query: Q, place: Place): Q {
  return 'project_id' in place ? query.where('project_id', '=', place.project_id) : query.where('namespace_id', '=', place.namespace_id)
}
