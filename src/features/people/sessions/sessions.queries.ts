/** SQL of sessions. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { SessionTable, User } from '../../../db/tables.ts'

export async function insertSession(db: Db, row: Insertable<SessionTable>): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function deleteSession(db: Db, digest: string): Promise<void> {
  await db.deleteFrom('sessions').where('digest', '=', digest).execute()
}

export async function deleteSessionsOf(db: Db, user_id: number, except: string | null): Promise<void> {
  const all = db.deleteFrom('sessions').where('user_id', '=', user_id)
  await (except === null ? all : all.where('digest', '<>', except)).execute()
}

/** Of those that have ended. */
export async function deleteEnded(db: Db): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now()).execute()
}

/**
 * Moves the time of the current sign-in to the last one. False where the user was blocked, or the password changed, since
 * the user was loaded: a concurrent change waits for the row, and then ends this session with all others.
 */
export async function noteSignIn(db: Db, { id, password_hash }: Pick<User, 'id' | 'password_hash'>): Promise<boolean> {
  const at = now()
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((eb) => ({
      last_sign_in_at: eb.fn.coalesce('current_sign_in_at', eb.val(at)),
      current_sign_in_at: at,
      last_activity_on: at.slice(0, 10),
    }))
    .where('id', '=', id)
    .where('state', '=', 'active')
    .where('password_hash', '=', password_hash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
