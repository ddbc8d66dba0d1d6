/** SQL for housekeeping. */
import type { Db } from '../../../db/database.ts'

/** Null if the project was deleted. */
export async function pushCountOf(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('projects').select('push_count').where('id', '=', id).executeTakeFirst()
  return found?.push_count ?? null
}

/** The ids that follow `after`, in order. */
export async function projectIdsAfter(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('projects').select('id').where('id', '>', after).orderBy('id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Whether a job with this key is waiting. */
export async function isWaiting(db: Db, unique_key: string): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('unique_key', '=', unique_key)
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return found !== undefined
}
