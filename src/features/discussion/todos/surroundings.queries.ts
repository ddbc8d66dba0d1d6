/** SQL for what is displayed with todos besides their rows: one statement. */
import type { Db } from '../../../db/database.ts'

export async function bodiesOfNotes(db: Db, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const found = await db.selectFrom('notes').select(['id', 'body']).where('id', 'in', ids).execute()
  return new Map(found.map(({ id, body }) => [id, body]))
}
