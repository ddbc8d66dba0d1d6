/** SQL for applications. */
import type { ExpressionBuilder, Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { OAuthApplication, OAuthApplicationTable, Tables } from '../../../db/tables.ts'

/** Applications of a user, or of the instance (null). */
export function listApplications(db: Db, owner_id: number | null, page: PageOf): Promise<{ rows: OAuthApplication[]; total: number }> {
  return paginate(db.selectFrom('oauth_applications').selectAll().where(ownedBy(owner_id)).orderBy('id'), page)
}

export async function applicationById(db: Db, id: number, owner_id: number | null): Promise<OAuthApplication | null> {
  return (await db.selectFrom('oauth_applications').selectAll().where('id', '=', id).where(ownedBy(owner_id)).executeTakeFirst()) ?? null
}

/** By its public id. */
export async function applicationByUid(db: Db, uid: string): Promise<OAuthApplication | null> {
  if (!/^[\x21-\x7e]{1,255}$/.test(uid)) return null
  return (await db.selectFrom('oauth_applications').selectAll().where('uid', '=', uid).executeTakeFirst()) ?? null
}

function ownedBy(owner_id: number | null) {
  return (eb: ExpressionBuilder<Tables, 'oauth_applications'>) =>
    owner_id === null ? eb('owner_id', 'is', null) : eb('owner_id', '=', owner_id)
}

export function insertApplication(db: Db, row: Insertable<OAuthApplicationTable>): Promise<OAuthApplication> {
  return db.insertInto('oauth_applications').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateApplication(db: Db, id: number, change: Updateable<OAuthApplicationTable>): Promise<void> {
  await db.updateTable('oauth_applications').set(change).where('id', '=', id).execute()
}

/** Revokes all its authorizations, too. False if it was deleted meanwhile. */
export async function deleteApplication(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('oauth_applications').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The public id of any application. */
export async function uidOf(db: Db, id: number): Promise<string | null> {
  return (await db.selectFrom('oauth_applications').select('uid').where('id', '=', id).executeTakeFirst())?.uid ?? null
}
