/** SQL for the tokens of large files. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { LfsToken } from '../../../db/tables.ts'

export async function insertToken(db: Db, token: LfsToken): Promise<void> {
  await db.insertInto('lfs_tokens').values(token).execute()
}

export const tokensByDigest = prepared((db: Db, digest: string) => db.selectFrom('lfs_tokens').selectAll().where('digest', '=', digest))

export async function deleteTokensExpiredBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('lfs_tokens').where('expires_at', '<=', before).execute()
}
