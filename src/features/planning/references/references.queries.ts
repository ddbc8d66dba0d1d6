/** SQL for the issue of a note. */
import type { Db } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'

export async function issueById(db: Db, id: number): Promise<Issue | null> {
  return (await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}
