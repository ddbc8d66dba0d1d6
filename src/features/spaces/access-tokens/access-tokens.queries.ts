/** SQL for access tokens. */
import { type ExpressionBuilder, sql } from 'kysely'
import { usersWhoMayAct } from '../../../access/states.ts'
import { type AccessToken, stateOfMaker } from '../../../access/tokens.ts'
import { contains, type Db, lockedRows, type PageOf, paginate } from '../../../db/database.ts'
import { now, today } from '../../../db/instants.ts'
import type { Tables } from '../../../db/tables.ts'
import type { TokenFilters } from './access-tokens.schema.ts'

/** The owner of tokens: everyone if nothing is given. */
export interface Holder {
  impersonation: boolean
  user_id?: number | undefined
  /** Only tokens of this project or group; undefined for personal ones and those of any place. */
  place?: { project_id: number } | { namespace_id: number } | undefined
}

type InTokens = ExpressionBuilder<Tables, 'access_tokens'>

function tokens(db: Db) {
  return db.selectFrom('access_tokens').selectAll().select(stateOfMaker(db))
}

/** Oldest first, unless the filter has another order. */
export function listTokens(db: Db, holder: Holder, filter: TokenFilters, page: PageOf): Promise<{ rows: AccessToken[]; total: number }> {
  const query = tokens(db).where(isOf(holder)).where(passes(filter))
  const [column, order] = orderOf(filter.sort)
  return paginate(column === 'id' ? query.orderBy('id', order) : query.orderBy(column, order).orderBy('id', order), page)
}

function isOf({ impersonation, user_id, place }: Holder) {
  return (eb: InTokens) =>
    eb.and([
      eb('impersonation', '=', impersonation),
      ...(user_id === undefined ? [] : [eb('user_id', '=', user_id)]),
      ...(place === undefined
        ? []
        : ['project_id' in place ? eb('project_id', '=', place.project_id) : eb('namespace_id', '=', place.namespace_id)]),
    ])
}

function passes(filter: TokenFilters) {
  const { state, revoked, search, created_after, created_before, expires_after, expires_before, last_used_after, last_used_before } = filter
  return (eb: InTokens) =>
    eb.and([
      ...(revoked === undefined ? [] : [eb('revoked', '=', revoked)]),
      ...(search ? [contains('access_tokens.name', search)] : []),
      ...(state === 'active' ? [isActive(eb)] : []),
      ...(state === 'inactive' ? [eb.not(isActive(eb))] : []),
      ...(created_after ? [eb('created_at', '>', created_after)] : []),
      ...(created_before ? [eb('created_at', '<', created_before)] : []),
      ...(expires_after ? [eb('expires_on', '>', expires_after)] : []),
      ...(expires_before ? [eb('expires_on', '<', expires_before)] : []),
      ...(last_used_after ? [eb('last_used_at', '>', last_used_after)] : []),
      ...(last_used_before ? [eb('last_used_at', '<', last_used_before)] : []),
    ])
}

function isActive(eb: InTokens) {
  const maker = eb.selectFrom('users').select('users.id').whereRef('users.id', '=', 'access_tokens.created_by_id')
  return eb.and([
    eb('revoked', '=', false),
    eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', today())]),
    eb.or([eb('created_by_id', 'is', null), eb.exists(maker.where('users.admin', '=', true).where(usersWhoMayAct()))]),
  ])
}

const columns = { created: 'id', expires: 'expires_on', last_used: 'last_used_at', name: 'name' } as const

/** Ids are in the order of creation. */
function orderOf(sort: TokenFilters['sort'] = 'created_asc') {
  const [, by, order] = /^(.*)_(asc|desc)$/.exec(sort) as unknown as [string, keyof typeof columns, 'asc' | 'desc']
  return [columns[by], order] as const
}

/** Null unless it is one of these. */
export async function tokenById(db: Db, id: number, holder?: Holder): Promise<AccessToken | null> {
  const query = tokens(db).where('id', '=', id)
  return (await (holder ? query.where(isOf(holder)) : query).executeTakeFirst()) ?? null
}

/** The token, locked until the transaction ends; undefined if it was deleted. */
export function lockToken(tx: Db, id: number): Promise<AccessToken | undefined> {
  return lockedRows(tx, tokens(tx).where('id', '=', id)).executeTakeFirst()
}

/** Keeps the time of an earlier revocation. */
export async function setRevoked(db: Db, id: number): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ revoked: true, revoked_at: now() })
    .where('id', '=', id)
    .where('revoked', '=', false)
    .execute()
}

/** The unrevoked tokens in the same chain of rotations. */
export async function liveFamilyOf(db: Db, { id, family_id, user_id }: AccessToken): Promise<AccessToken[]> {
  const first = family_id ?? id
  return tokens(db)
    .where('user_id', '=', user_id)
    .where((eb) => eb.or([eb('id', '=', first), eb('family_id', '=', first)]))
    .where('revoked', '=', false)
    .execute()
}

/**
 * Bot users without a token that is active, or was after that instant, and service accounts whose project or group is gone. In the order of
 * their ids.
 */
export async function botsInactiveSince(db: Db, since: string, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('users.id')
    .where('users.id', '>', after)
    .where((eb) => eb.or([isLostAccount(eb), eb.and([eb('users.kind', '=', 'bot'), eb.not(hasToken(eb, since))])]))
    .orderBy('users.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

type InUsers = ExpressionBuilder<Tables, 'users'>

function isLostAccount(eb: InUsers) {
  const known = eb.selectFrom('service_accounts').select('service_accounts.user_id').whereRef('service_accounts.user_id', '=', 'users.id')
  return eb.and([eb('users.kind', '=', 'service_account'), eb.not(eb.exists(known))])
}

function hasToken(eb: InUsers, since: string) {
  return eb.exists(
    eb
      .selectFrom('access_tokens')
      .select(sql`1`.as('one'))
      .whereRef('access_tokens.user_id', '=', 'users.id')
      .where((t) => t.or([t('revoked_at', '>', since), t('revoked', '=', false)]))
      .where((t) => t.or([t('expires_on', 'is', null), t('expires_on', '>', since.slice(0, 10))])),
  )
}
