/** SQL for applying suggestions. */
import type { Db } from '../../../db/database.ts'

/** The authors of suggestions, with their names. */
export function authorsOf(db: Db, userIds: number[]) {
  return db.selectFrom('users').select(['id', 'name', 'username']).where('id', 'in', userIds).orderBy('id').execute()
}
