/** SQL for users. */
import { type Expression, type ExpressionBuilder, type Insertable, type SqlBool, sql, type Updateable } from 'kysely'
import { usersWhoMayAct } from '../../../access/states.ts'
import type { Viewer } from '../../../access/visible.ts'
import { contains, type Db, type Found, lockedRows, type PageOf, paginate } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { directed, pageOfList } from '../../../db/list-cache.ts'
import { totalByCounts } from '../../../db/list-counts.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import { countFound, mayHave, wordsOf } from '../../../db/search.ts'
import type { Day, Tables, User, UserState, UserTable } from '../../../db/tables.ts'
import { matchesAttributes } from '../../instance/custom-attributes/custom-attributes.ts'
import { type Identity, identitiesOf } from '../identities/identities.ts'
import type { Belongings, UserInBrief } from './users.present.ts'

/** The search term, and how much the viewer may find: not everyone may find others by email address. */
export interface UserSearch {
  words: string | undefined
  actor: Viewer
}

export interface UserFilter {
  search?: string | undefined
  username?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  deactivated?: boolean | undefined
  banned?: boolean | undefined
  blocked_pending_approval?: boolean | undefined
  exclude_active?: boolean | undefined
  /** Without those whom nobody but administrators hears of: who was banned, and who was not approved yet. */
  shown?: boolean | undefined
  external?: boolean | undefined
  extern_uid?: string | undefined
  provider?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  custom_attributes?: Record<string, string> | undefined
  /** Only administrators. */
  admins?: boolean | undefined
  exclude_external?: boolean | undefined
  /** Only users who are members of nothing and have no project of their own. */
  without_projects?: boolean | undefined
  two_factor?: 'enabled' | 'disabled' | undefined
  /** Without the bot users of projects and groups, and service accounts. */
  without_project_bots?: boolean | undefined
  /** Excludes bot users and the Ghost User. */
  humans?: boolean | undefined
  /** `relevance`: exact matches of the search first. */
  order_by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at' | 'relevance'
  sort: 'asc' | 'desc'
}

/** One page of the users that match the filter: a fixed number of statements, regardless of their number. */
export async function listUsers(db: Db, viewer: Viewer, filter: UserFilter, page: PageOf): Promise<Found<User>> {
  const { search = '', order_by, sort } = filter
  const query = db
    .selectFrom('users')
    .where(passes(filter, viewer))
    .where(matchesAttributes('user', filter.custom_attributes, viewer))
  const hint = mayHave(db, 'users', wordsOf(search))
  const narrowed = hint && sql<boolean>`(${hint} or ${hasAddress(search, viewer)})`
  if (page.keyset) return pageByKeyset(db, narrowed ? query.where(narrowed) : query, 'users', page, usersById)
  const { total, found } = isCounted(filter) ? { total: await countAll(db, filter), found: query } : await countFound(db, query, narrowed)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => {
    const [up, direction] = [directed('asc', isReversed), directed(sort, isReversed)]
    const inOrder =
      order_by === 'relevance' ? found.orderBy(exactness(search, viewer), up).orderBy('name', up) : found.orderBy(order_by, direction)
    return inOrder.orderBy('id', direction).select('id')
  }
  return { rows: await pageOfList(db, ids, { ...page, total }, usersById), total }
}

/** Active people who match the search of the viewer: exact names first. */
export async function findPeople(db: Db, viewer: Viewer, search: string, limit: number): Promise<User[]> {
  const filter = { search, active: true, humans: true, order_by: 'relevance', sort: 'asc' } as const
  return search.trim() === '' ? [] : (await listUsers(db, viewer, filter, { limit, offset: 0 })).rows
}

/** Whether the filter is by nothing that isn't in the value by which users are counted. */
function isCounted({ active, external, humans, without_project_bots, shown, order_by, sort, ...others }: UserFilter): boolean {
  return Object.values(others).every((value) => !value)
}

function countAll(db: Db, { active, external, humans, without_project_bots, shown }: UserFilter): Promise<number> {
  const conditions = [
    sql<SqlBool>`1 = 1`,
    ...(active ? [sql<SqlBool>`value like 'active %'`] : []),
    ...(shown ? hidden.map((state) => sql<SqlBool>`value not like ${`${state} %`}`) : []),
    ...(humans ? [sql<SqlBool>`value like '% human%'`] : []),
    ...(without_project_bots ? [sql<SqlBool>`value not like '% bot%' and value not like '% service_account%'`] : []),
    ...(external === undefined ? [] : [external ? sql<SqlBool>`value like '% external'` : sql<SqlBool>`value not like '% external'`]),
  ]
  const condition = sql<SqlBool>`${sql.join(conditions, sql` and `)}`
  return totalByCounts(db, { table: 'users', condition }, db.selectFrom('users').where(sql<boolean>`1 = 0`))
}

const hidden: readonly UserState[] = ['banned', 'blocked_pending_approval']

type InUsers = ExpressionBuilder<Tables, 'users'>

function passes(filter: UserFilter, viewer: Viewer) {
  const { search, username, active, blocked, external, two_factor, provider, extern_uid } = filter
  return (eb: InUsers) =>
    eb.and([
      ...(search ? [isFoundBy(eb, search, viewer)] : []),
      ...(username ? [eb('username_key', '=', username.toLowerCase())] : []),
      ...(active ? [eb('state', '=', 'active')] : []),
      // The ghost doesn't count as blocked.
      ...(blocked ? [eb('state', '=', 'blocked'), eb('kind', '!=', 'ghost')] : []),
      ...inState(eb, filter),
      ...(external === undefined ? [] : [eb('external', '=', external)]),
      ...(filter.without_projects ? [withoutProjects(eb)] : []),
      ...ofKind(eb, filter),
      ...cameWithin(eb, filter, viewer),
      ...(two_factor === undefined ? [] : [eb('two_factor_enabled', '=', two_factor === 'enabled')]),
      ...(provider && extern_uid ? [eb('id', 'in', holdersOf(eb, { provider, extern_uid }))] : []),
    ])
}

function inState(eb: InUsers, { deactivated, banned, blocked_pending_approval, exclude_active, shown }: UserFilter): Expression<SqlBool>[] {
  return [
    ...(deactivated ? [eb('state', '=', 'deactivated')] : []),
    ...(banned ? [eb('state', '=', 'banned')] : []),
    ...(blocked_pending_approval ? [eb('state', '=', 'blocked_pending_approval')] : []),
    ...(exclude_active ? [eb('state', '!=', 'active'), eb('kind', '!=', 'ghost')] : []),
    ...(shown ? [eb('state', 'not in', hidden)] : []),
  ]
}

function withoutProjects(eb: InUsers) {
  const memberships = eb.selectFrom('members').select('members.id').whereRef('members.user_id', '=', 'users.id')
  const own = eb
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .whereRef('namespaces.owner_id', '=', 'users.id')
  return eb.and([eb.not(eb.exists(memberships)), eb.not(eb.exists(own))])
}

function ofKind(eb: InUsers, { admins, exclude_external, without_project_bots, humans }: UserFilter): Expression<SqlBool>[] {
  return [
    ...(admins ? [eb('admin', '=', true)] : []),
    ...(exclude_external ? [eb('external', '=', false)] : []),
    ...(without_project_bots ? [eb('kind', 'not in', ['bot', 'service_account'])] : []),
    ...(humans ? [eb('kind', '=', 'human')] : []),
  ]
}

/** One of the two names contains every word, or the term is the whole email address of someone whose address the viewer may know. */
export function isFoundBy(eb: InUsers, search: string, viewer: Viewer) {
  const words = wordsOf(search)
  const named = ['users.name', 'users.username'].map((column) => eb.and(words.map((word) => contains(column, word))))
  return eb.or([...named, hasAddress(search, viewer)])
}

/** The creation date of a user with a private profile must not be revealed by filters either. */
function cameWithin(eb: InUsers, { created_after, created_before }: UserFilter, viewer: Viewer): Expression<SqlBool>[] {
  if (!created_after && !created_before) return []
  return [
    ...(created_after ? [eb('created_at', '>=', created_after)] : []),
    ...(created_before ? [eb('created_at', '<=', created_before)] : []),
    ...(viewer?.admin ? [] : [eb.or([eb('private_profile', '=', false), eb('id', '=', viewer?.id ?? 0)])]),
  ]
}

/** Ignores case: no provider has names that differ only in case. */
function holdersOf(eb: InUsers, { provider, extern_uid }: Identity) {
  return eb
    .selectFrom('identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where(sql<boolean>`lower(extern_uid) = lower(${extern_uid})`)
}

/**
 * Whether a row of `users` has this address, if the viewer may know that: administrators find everyone by it, others only themselves. Only
 * whole addresses, since matches of parts would reveal them.
 */
export function hasAddress(search: string, viewer: Viewer) {
  const isIt = sql<boolean>`users.email_key = ${search.toLowerCase()}`
  return viewer?.admin ? isIt : sql<boolean>`(${isIt} and users.id = ${viewer?.id ?? 0})`
}

/** The user with this primary address; null if the viewer may not know it. */
export async function userByAddress(db: Db, viewer: User, email: string): Promise<User | null> {
  return (await db.selectFrom('users').selectAll().where(hasAddress(email, viewer)).executeTakeFirst()) ?? null
}

/** As `userByAddress` for many addresses, keyed by the address in lower case. One statement; none if the viewer may know none of them. */
export async function usersByAddress(db: Db, viewer: Viewer, emails: readonly string[]): Promise<Map<string, User>> {
  const keys = new Set(emails.map((email) => email.toLowerCase()))
  if (!viewer || keys.size === 0) return new Map()
  const query = db
    .selectFrom('users')
    .selectAll()
    .where('email_key', 'in', [...keys])
  const rows = await (viewer.admin ? query : query.where('id', '=', viewer.id)).execute()
  return new Map(rows.map((user) => [user.email_key, user]))
}

/** Exact matches come before users whose name contains the term. */
function exactness(search: string, viewer: Viewer) {
  const term = search.toLowerCase()
  return sql`case when lower(name) = ${term} then 0 when username_key = ${term} then 1 when ${hasAddress(search, viewer)} then 2 else 3 end`
}

/** Users active since that day, the longest inactive first. */
export function listActive(db: Db, since: Day, page: PageOf): Promise<{ rows: User[]; total: number }> {
  const query = db.selectFrom('users').selectAll().where('last_activity_on', '>=', since).where('kind', '=', 'human')
  return paginate(query.orderBy('last_activity_on').orderBy('id'), page)
}

/** Data of many users besides their rows: two statements. */
export async function belongingsOf(db: Db, users: User[]): Promise<Map<number, Belongings>> {
  const ids = users.map(({ id }) => id)
  const found = new Map<number, Belongings>(ids.map((id) => [id, { identities: [], project_count: 0 }]))
  if (ids.length === 0) return found
  for (const { user_id, provider, extern_uid } of await identitiesOf(db, ids)) found.get(user_id)?.identities.push({ provider, extern_uid })
  for (const { owner_id, count } of await countOwnProjects(db, ids)) {
    const belongings = found.get(owner_id ?? 0)
    if (belongings) belongings.project_count = count
  }
  return found
}

const countOwnProjects = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => ['namespaces.owner_id', eb.fn.countAll<number>().as('count')])
    .where(among(db, 'namespaces.owner_id', ids))
    .groupBy('namespaces.owner_id'),
)

const usersById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .selectAll()
    .where(among(db, 'id', ids)),
)

const briefUsersById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
    .where(among(db, 'id', ids)),
)

/** No statement for no ids. */
export async function usersInBrief(db: Db, ids: readonly number[]): Promise<Map<number, UserInBrief>> {
  const wanted = [...new Set(ids)]
  return new Map(wanted.length === 0 ? [] : (await briefUsersById(db, wanted)).map((user) => [user.id, user]))
}

export function insertUser(db: Db, row: Insertable<UserTable>): Promise<User> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Replaces the feed token. */
export async function setFeedToken(db: Db, id: number, feed_token: string): Promise<void> {
  await db.updateTable('users').set({ feed_token }).where('id', '=', id).execute()
}

export function updateUser(db: Db, id: number, change: Updateable<UserTable>): Promise<User> {
  return db.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Locks the user until the transaction ends: nobody else can change them, or create anything that belongs to them. */
export async function lockUser(db: Db, id: number): Promise<User | null> {
  return (await lockedRows(db, db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

/**
 * Locks the usable administrators until the transaction ends, so that none of them is demoted. Callers that also lock a user must do so
 * afterwards, to avoid deadlocks.
 */
export async function lockAdministrators(db: Db): Promise<number[]> {
  const administrators = db.selectFrom('users').select('id').where('admin', '=', true).where(usersWhoMayAct()).orderBy('id')
  return (await lockedRows(db, administrators).execute()).map(({ id }) => id)
}
