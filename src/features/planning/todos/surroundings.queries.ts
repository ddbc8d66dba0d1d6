/** SQL for what is shown of todos besides their rows: one statement for each kind. */
import type { Db } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

export async function issuesById(db: Db, ids: number[]): Promise<Issue[]> {
  return db.selectFrom('issues').selectAll().where('id', 'in', ids).execute()
}

export async function usersById(db: Db, ids: number[]): Promise<Map<number, UserInBrief>> {
  const found = db.selectFrom('users').select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
  return new Map((await found.where('id', 'in', ids).execute()).map((user) => [user.id, user]))
}

export async function bodiesOfNotes(db: Db, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const found = await db.selectFrom('notes').select(['id', 'body']).where('id', 'in', ids).execute()
  return new Map(found.map(({ id, body }) => [id, body]))
}
