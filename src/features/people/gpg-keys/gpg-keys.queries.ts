/** SQL for GPG keys. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { GpgKey, GpgKeyTable } from '../../../db/tables.ts'

export function gpgKeysOfUser(db: Db, user_id: number, page: PageOf): Promise<{ rows: GpgKey[]; total: number }> {
  return paginate(db.selectFrom('gpg_keys').selectAll().where('user_id', '=', user_id).orderBy('id'), page)
}

export async function gpgKeyOfUser(db: Db, user_id: number, id: number): Promise<GpgKey | null> {
  return (await db.selectFrom('gpg_keys').selectAll().where('id', '=', id).where('user_id', '=', user_id).executeTakeFirst()) ?? null
}

export async function gpgKeyByFingerprint(db: Db, fingerprint: string): Promise<GpgKey | null> {
  return (await db.selectFrom('gpg_keys').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()) ?? null
}

export function insertGpgKey(db: Db, row: Insertable<GpgKeyTable>): Promise<GpgKey> {
  return db.insertInto('gpg_keys').values(row).returningAll().executeTakeFirstOrThrow()
}

/** False if it was deleted before. */
export async function deleteGpgKey(db: Db, id: number): Promise<boolean> {
  return (await db.deleteFrom('gpg_keys').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
