/** SQL of usernames that are taken. */
import type { Db } from '../../../db/database.ts'

/** Which of these names, in lower case, are not available for a new user. */
export async function takenNames(db: Db, keys: string[]): Promise<Set<string>> {
  const users = await db.selectFrom('users').select('username_key as key').where('username_key', 'in', keys).execute()
  const places = await db.selectFrom('routes').select('path_key as key').where('path_key', 'in', keys).execute()
  return new Set([...users, ...places].map(({ key }) => key))
}
