/** SQL for users. */
import { type Insertable, sql, type Updateable } from 'kysely'
import type { Viewer } from '../../access/visible.ts'
import { contains, type Db, lockedRows, type PageOf, pageOf } from '../../db/database.ts'
import { pageById } from '../../db/remembered.ts'
import { countFound, mayHave } from '../../db/search.ts'
import type { Day, User, UserTable } from '../../db/tables.ts'
import { matchesAttributes } from '../custom-attributes/custom-attributes.service.ts'
import type { Belongings, Identity } from './users.present.ts'

export interface UserFilter {
  search?: string | undefined
  username?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  external?: boolean | undefined
  extern_uid?: string | undefined
  provider?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  custom_attributes?: Record<string, string> | undefined
  two_factor?: 'enabled' | 'disabled' | undefined
  /** `relevance`: exact matches of the search first. */
  order_by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at' | 'relevance'
  sort: 'asc' | 'desc'
}

/** Custom attributes are a filter for administrators alone; all else is for whoever asks. */
export async function listUsers(db: Db, viewer: Viewer, filter: UserFilter, page: PageOf): Promise<{ rows: User[]; total: number }> {
  let query = db.selectFrom('users').where(matchesAttributes('user', filter.custom_attributes, viewer))
  const { search, username, provider, extern_uid } = filter
  // The unnamed are told of nobody's address whether it is his.
  const addressed = search && viewer ? [hasAddress(search)] : []
  if (search) query = query.where(({ or }) => or([contains('users.name', search), contains('users.username', search), ...addressed]))
  if (username) query = query.where('username_key', '=', username.toLowerCase())
  if (filter.active) query = query.where('state', '=', 'active')
  // The ghost is nobody who was blocked.
  if (filter.blocked) query = query.where('state', '=', 'blocked').where('kind', '=', 'human')
  if (filter.external !== undefined) query = query.where('external', '=', filter.external)
  if (filter.created_after) query = query.where('created_at', '>=', filter.created_after)
  if (filter.created_before) query = query.where('created_at', '<=', filter.created_before)
  // Nobody can turn it on so far.
  if (filter.two_factor === 'enabled') query = query.where(sql<boolean>`1 = 0`)
  if (provider && extern_uid) {
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('identities').select('user_id').where('provider', '=', provider).where('extern_uid', '=', extern_uid),
    )
  }
  const hint = search ? mayHave(db, 'users', [search]) : null
  const { total, found } = await countFound(db, query, search && hint ? sql<boolean>`(${hint} or ${hasAddress(search)})` : null)
  if (total <= page.offset) return { rows: [], total }
  const inOrder =
    filter.order_by === 'relevance' ? found.orderBy(exactness(search ?? '')).orderBy('name') : found.orderBy(filter.order_by, filter.sort)
  const ids = inOrder.orderBy('id', filter.sort).select('id')
  return { rows: await pageById(db, ids, page, (shown) => db.selectFrom('users').selectAll().where('id', 'in', shown)), total }
}

/** An address is looked up whole: parts of it would tell what it is. */
function hasAddress(search: string) {
  return sql<boolean>`email_key = ${search.toLowerCase()}`
}

/** Who is called just that comes before who has it in his name. */
function exactness(search: string) {
  const term = search.toLowerCase()
  return sql`case when lower(name) = ${term} then 0 when username_key = ${term} then 1 when email_key = ${term} then 2 else 3 end`
}

/** Who was seen since that day, the longest gone first. */
export function listActive(db: Db, since: Day, page: PageOf): Promise<{ rows: User[]; total: number }> {
  const query = db.selectFrom('users').selectAll().where('last_activity_on', '>=', since)
  return pageOf(query.orderBy('last_activity_on').orderBy('id'), page)
}

/** What many users have besides their rows: two statements. */
export async function belongingsOf(db: Db, users: User[]): Promise<Map<number, Belongings>> {
  const ids = users.map(({ id }) => id)
  const found = new Map<number, Belongings>(ids.map((id) => [id, { identities: [], project_count: 0 }]))
  if (ids.length === 0) return found
  const identities = await db.selectFrom('identities').selectAll().where('user_id', 'in', ids).orderBy('provider').execute()
  for (const { user_id, provider, extern_uid } of identities) found.get(user_id)?.identities.push({ provider, extern_uid })
  const counts = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => ['namespaces.owner_id', eb.fn.countAll<number>().as('count')])
    .where('namespaces.owner_id', 'in', ids)
    .groupBy('namespaces.owner_id')
    .execute()
  for (const { owner_id, count } of counts) {
    const belongings = found.get(owner_id ?? 0)
    if (belongings) belongings.project_count = count
  }
  return found
}

export function insertUser(db: Db, row: Insertable<UserTable>): Promise<User> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateUser(db: Db, id: number, change: Updateable<UserTable>): Promise<User> {
  return db.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Until the transaction ends nobody else changes the user, nor makes anything that is his. */
export async function lockUser(db: Db, id: number): Promise<User | null> {
  return (await lockedRows(db, db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

/**
 * The administrators that can act. Until the transaction ends no other becomes less than that. Whoever locks a user too does
 * so after this: two that wait for each other would do so for ever.
 */
export async function lockAdministrators(db: Db): Promise<number[]> {
  const administrators = db.selectFrom('users').select('id').where('admin', '=', true).where('state', '=', 'active').orderBy('id')
  return (await lockedRows(db, administrators).execute()).map(({ id }) => id)
}

export async function insertIdentity(db: Db, userId: number, identity: Identity): Promise<void> {
  await db
    .insertInto('identities')
    .values({ user_id: userId, ...identity })
    .execute()
}

/** The one identity a user has with a provider. */
export async function replaceIdentity(db: Db, userId: number, identity: Identity): Promise<void> {
  await db.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', identity.provider).execute()
  await insertIdentity(db, userId, identity)
}
