/** SQL for access requests. */
import type { ExpressionBuilder } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Tables } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import type { Place } from '../members/members.ts'

/** The user, and when they requested access. */
export type Requester = UserInBrief & { requested_at: Instant }

function isAt(place: Place) {
  return (eb: ExpressionBuilder<Tables, 'access_requests'>) =>
    'project_id' in place
      ? eb('access_requests.project_id', '=', place.project_id)
      : eb('access_requests.namespace_id', '=', place.namespace_id)
}

function requestersOf(db: Db, place: Place) {
  const requests = db
    .selectFrom('access_requests')
    .innerJoin('users', 'users.id', 'access_requests.user_id')
    .select([
      'users.id',
      'users.name',
      'users.username',
      'users.state',
      'users.kind',
      'users.avatar_name',
      'access_requests.created_at as requested_at',
    ])
  return requests.where(isAt(place))
}

/** Oldest first. */
export function listRequesters(db: Db, place: Place, page: PageOf): Promise<{ rows: Requester[]; total: number }> {
  return paginate(requestersOf(db, place).orderBy('access_requests.id'), page)
}

export async function findRequester(db: Db, place: Place, userId: number): Promise<Requester | null> {
  return (await requestersOf(db, place).where('users.id', '=', userId).executeTakeFirst()) ?? null
}

/** Fails on a unique index if the user already has one. */
export async function insertAccessRequest(db: Db, place: Place, user_id: number): Promise<void> {
  await db
    .insertInto('access_requests')
    .values({ project_id: null, namespace_id: null, ...place, user_id, created_at: now() })
    .execute()
}

/** Returns whether it existed. */
export async function deleteAccessRequest(db: Db, place: Place, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('access_requests').where(isAt(place)).where('user_id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}
