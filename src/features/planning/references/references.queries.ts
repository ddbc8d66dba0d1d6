/** SQL for the texts from which something follows. */
import type { Db } from '../../../db/database.ts'

export async function commentById(db: Db, id: number): Promise<{ commit_oid: string; note: string } | null> {
  return (await db.selectFrom('commit_comments').select(['commit_oid', 'note']).where('id', '=', id).executeTakeFirst()) ?? null
}
