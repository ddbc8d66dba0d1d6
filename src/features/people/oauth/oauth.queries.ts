/** SQL for grants, codes and tokens. */
import type { Insertable } from 'kysely'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type {
  OAuthApplication,
  OAuthCode,
  OAuthCodeTable,
  OAuthGrant,
  OAuthGrantTable,
  OAuthToken,
  OAuthTokenTable,
} from '../../../db/tables.ts'

export function insertGrant(db: Db, row: Omit<Insertable<OAuthGrantTable>, 'created_at'>): Promise<OAuthGrant> {
  return db
    .insertInto('oauth_grants')
    .values({ ...row, created_at: now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** False if it had ended. */
export async function revokeGrant(db: Db, id: number): Promise<boolean> {
  const revoking = db.updateTable('oauth_grants').set({ revoked_at: now() }).where('id', '=', id).where('revoked_at', 'is', null)
  return (await revoking.executeTakeFirstOrThrow()).numUpdatedRows > 0n
}

/** All grants of a user, or only those for one application. Returns those that had not ended. */
export async function revokeGrantsOf(db: Db, user_id: number, application_id: number | null = null): Promise<OAuthGrant[]> {
  const query = db.updateTable('oauth_grants').set({ revoked_at: now() }).where('user_id', '=', user_id).where('revoked_at', 'is', null)
  return (application_id === null ? query : query.where('application_id', '=', application_id)).returningAll().execute()
}

/** The current grants of a user for an application, each with its scopes. */
export function liveGrants(db: Db, user_id: number, application_id: number): Promise<OAuthGrant[]> {
  return db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('application_id', '=', application_id)
    .where('revoked_at', 'is', null)
    .execute()
}

export interface AuthorizedApplication extends Pick<OAuthApplication, 'id' | 'name' | 'registered'> {
  /** The scopes of all grants. */
  scopes: string[]
  /** When it was last allowed. */
  created_at: string
}

const maxListed = 500

/** The applications that a user has authorized, latest first. */
export async function authorizedApplications(db: Db, user_id: number): Promise<AuthorizedApplication[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_applications', 'oauth_applications.id', 'oauth_grants.application_id')
    .select(['oauth_applications.id', 'oauth_applications.name', 'oauth_applications.registered'])
    .select(['oauth_grants.scopes', 'oauth_grants.created_at'])
    .where('oauth_grants.user_id', '=', user_id)
    .where('oauth_grants.revoked_at', 'is', null)
    .orderBy('oauth_grants.id', 'desc')
    .limit(maxListed)
    .execute()
  const found = new Map<number, AuthorizedApplication>()
  for (const { scopes, ...row } of rows) {
    const known = found.get(row.id) ?? { ...row, scopes: [] }
    found.set(row.id, { ...known, scopes: [...new Set([...known.scopes, ...scopes.split(' ')])] })
  }
  return [...found.values()]
}

export async function insertCode(db: Db, row: Insertable<OAuthCodeTable>): Promise<void> {
  await db.insertInto('oauth_codes').values(row).execute()
}

/** Locked until the transaction ends, so that only one of two concurrent requests can redeem it. */
export function lockCode(tx: Tx, digest: string): Promise<OAuthCode | undefined> {
  return lockedRows(tx, tx.selectFrom('oauth_codes').selectAll().where('digest', '=', digest)).executeTakeFirst()
}

export async function setCodeUsed(db: Db, digest: string): Promise<void> {
  await db.updateTable('oauth_codes').set({ used_at: now() }).where('digest', '=', digest).execute()
}

export function lockGrant(tx: Tx, id: number): Promise<OAuthGrant | undefined> {
  return lockedRows(tx, tx.selectFrom('oauth_grants').selectAll().where('id', '=', id)).executeTakeFirst()
}

export async function insertToken(db: Db, row: Insertable<OAuthTokenTable>): Promise<void> {
  await db.insertInto('oauth_tokens').values(row).execute()
}

/** By its refresh token; locked until the transaction ends. */
export function lockTokenByRefresh(tx: Tx, refresh_digest: string): Promise<OAuthToken | undefined> {
  return lockedRows(tx, tx.selectFrom('oauth_tokens').selectAll().where('refresh_digest', '=', refresh_digest)).executeTakeFirst()
}

export async function setRefreshed(db: Db, id: number): Promise<void> {
  await db.updateTable('oauth_tokens').set({ refreshed_at: now() }).where('id', '=', id).execute()
}

/** The token with this access or refresh token, with its grant. */
export async function tokenWithGrant(db: Db, digest: string): Promise<{ token: OAuthToken; grant: OAuthGrant; isRefresh: boolean } | null> {
  const token = await db
    .selectFrom('oauth_tokens')
    .selectAll()
    .where((eb) => eb.or([eb('digest', '=', digest), eb('refresh_digest', '=', digest)]))
    .executeTakeFirst()
  if (!token) return null
  const grant = await db.selectFrom('oauth_grants').selectAll().where('id', '=', token.grant_id).executeTakeFirstOrThrow()
  return { token, grant, isRefresh: token.refresh_digest === digest }
}

/**
 * Deletes what is no longer valid. A replaced token is kept for a while: if it is used again, somebody has a copy. So is one that can still
 * be refreshed, unless it has not been used for a year.
 */
export async function deleteEnded(db: Db, { codes, replaced, unused }: Record<'codes' | 'replaced' | 'unused', string>): Promise<void> {
  await db.deleteFrom('oauth_codes').where('expires_at', '<', codes).execute()
  await db.deleteFrom('oauth_device_codes').where('expires_at', '<', codes).execute()
  await db.deleteFrom('oauth_tokens').where('expires_at', '<', codes).where('refresh_digest', 'is', null).execute()
  await db.deleteFrom('oauth_tokens').where('expires_at', '<', replaced).where('refreshed_at', 'is not', null).execute()
  await db.deleteFrom('oauth_tokens').where('expires_at', '<', unused).execute()
  await db
    .deleteFrom('oauth_grants')
    .where('created_at', '<', codes)
    .where((eb) =>
      eb.and(
        (['oauth_tokens', 'oauth_codes', 'oauth_device_codes'] as const).map((table) =>
          eb.not(eb.exists(eb.selectFrom(table).select('grant_id').whereRef('grant_id', '=', 'oauth_grants.id'))),
        ),
      ),
    )
    .execute()
  // A self-registered application that nobody has authorized can register again.
  await db
    .deleteFrom('oauth_applications')
    .where('registered', '=', true)
    .where('created_at', '<', replaced)
    .where((eb) => eb.not(eb.exists(eb.selectFrom('oauth_grants').select('id').whereRef('application_id', '=', 'oauth_applications.id'))))
    .execute()
}
