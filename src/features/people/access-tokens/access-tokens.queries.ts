/** SQL for access tokens. */
import type { AccessToken } from '../../../access/tokens.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'

export interface TokenFilter {
  impersonation: boolean
  /** Undefined for the tokens of everybody. */
  user_id?: number | undefined
  state?: 'all' | 'active' | 'inactive' | undefined
  revoked?: boolean | undefined
  search?: string | undefined
}

export function listTokens(db: Db, filter: TokenFilter, page: PageOf): Promise<{ rows: AccessToken[]; total: number }> {
  const { impersonation, user_id, state, revoked, search } = filter
  let query = db.selectFrom('access_tokens').selectAll().where('impersonation', '=', impersonation)
  if (user_id !== undefined) query = query.where('user_id', '=', user_id)
  if (revoked !== undefined) query = query.where('revoked', '=', revoked)
  if (search) query = query.where(contains('access_tokens.name', search))
  if (state === 'active') {
    query = query.where('revoked', '=', false).where((eb) => eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', today())]))
  }
  if (state === 'inactive') query = query.where((eb) => eb.or([eb('revoked', '=', true), eb('expires_on', '<=', today())]))
  return paginate(query.orderBy('id'), page)
}

/** Of this user and of this kind, where they are given. */
export async function tokenById(
  db: Db,
  id: number,
  { impersonation, user_id }: Partial<Pick<TokenFilter, 'impersonation' | 'user_id'>> = {},
): Promise<AccessToken | null> {
  let query = db.selectFrom('access_tokens').selectAll().where('id', '=', id)
  if (impersonation !== undefined) query = query.where('impersonation', '=', impersonation)
  if (user_id !== undefined) query = query.where('user_id', '=', user_id)
  return (await query.executeTakeFirst()) ?? null
}

export async function setRevoked(db: Db, id: number): Promise<void> {
  await db.updateTable('access_tokens').set({ revoked: true }).where('id', '=', id).execute()
}
