/** SQL for mail about activity. */
import type { Db } from '../../../db/database.ts'
import type { Issue, User } from '../../../db/tables.ts'

export async function peopleById(db: Db, ids: number[]): Promise<Map<number, Pick<User, 'id' | 'name' | 'username'>>> {
  const rows = await db.selectFrom('users').select(['id', 'name', 'username']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Open issues that are due on that day, with ids greater than `after`, ordered by id. */
export async function issuesDue(db: Db, day: string, after: number, limit: number): Promise<Issue[]> {
  const due = db.selectFrom('issues').selectAll().where('due_date', '=', day).where('state', '=', 'opened').where('id', '>', after)
  return due.orderBy('id').limit(limit).execute()
}
