/** SQL for the keys that sign id tokens. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { OAuthKeyTable } from '../../../db/tables.ts'

/** The oldest first. */
export function listKeys(db: Db) {
  return db.selectFrom('oauth_keys').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertKey(db: Db, row: Insertable<OAuthKeyTable>): Promise<void> {
  await db.insertInto('oauth_keys').values(row).execute()
}
