/** SQL for users. */
import { type Insertable, sql } from 'kysely'
import { contains, type Db, type PageOf, pageOf } from '../../db/database.ts'
import type { User, UserTable } from '../../db/tables.ts'
import type { Identity } from './users.present.ts'

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
  /** `relevance`: exact matches of the search first. */
  order_by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at' | 'relevance'
  sort: 'asc' | 'desc'
}

export function listUsers(db: Db, filter: UserFilter, page: PageOf): Promise<{ rows: User[]; total: number }> {
  let query = db.selectFrom('users').selectAll()
  const { search, username, provider, extern_uid } = filter
  if (search) {
    // An address is looked up whole: parts of it would tell what it is.
    query = query.where((eb) =>
      eb.or([contains('users.name', search), contains('users.username', search), eb('email_key', '=', search.toLowerCase())]),
    )
  }
  if (username) query = query.where('username_key', '=', username.toLowerCase())
  if (filter.active) query = query.where('state', '=', 'active')
  if (filter.blocked) query = query.where('state', '=', 'blocked')
  if (filter.external !== undefined) query = query.where('external', '=', filter.external)
  if (filter.created_after) query = query.where('created_at', '>=', filter.created_after)
  if (filter.created_before) query = query.where('created_at', '<=', filter.created_before)
  if (provider && extern_uid) {
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('identities').select('user_id').where('provider', '=', provider).where('extern_uid', '=', extern_uid),
    )
  }
  const ordered =
    filter.order_by === 'relevance' ? query.orderBy(exactness(search ?? '')).orderBy('name') : query.orderBy(filter.order_by, filter.sort)
  return pageOf(ordered.orderBy('id', filter.sort), page)
}

/** Who is called just that comes before who has it in his name. */
function exactness(search: string) {
  const term = search.toLowerCase()
  return sql`case when lower(name) = ${term} then 0 when username_key = ${term} then 1 when email_key = ${term} then 2 else 3 end`
}

/** The identities of many users: one statement. */
export async function identitiesOf(db: Db, users: User[]): Promise<Map<number, Identity[]>> {
  const found = new Map<number, Identity[]>(users.map(({ id }) => [id, []]))
  if (users.length === 0) return found
  const rows = await db
    .selectFrom('identities')
    .selectAll()
    .where(
      'user_id',
      'in',
      users.map(({ id }) => id),
    )
    .execute()
  for (const { user_id, provider, extern_uid } of rows) found.get(user_id)?.push({ provider, extern_uid })
  return found
}

export function insertUser(db: Db, row: Insertable<UserTable>): Promise<User> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('email_key', '=', email.toLowerCase()).executeTakeFirst()) !== undefined
}

export async function insertIdentity(db: Db, userId: number, identity: Identity): Promise<void> {
  await db
    .insertInto('identities')
    .values({ user_id: userId, ...identity })
    .execute()
}
