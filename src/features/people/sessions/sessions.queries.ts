/** SQL of sessions. */
import type { Insertable, Selectable } from 'kysely'
import { usersWhoMayAct } from '../../../access/states.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { SessionTable, User } from '../../../db/tables.ts'

export async function insertSession(db: Db, row: Insertable<SessionTable>): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

/** False if it had ended. */
export async function deleteSession(db: Db, digest: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('digest', '=', digest).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Sessions in which the user acts, as themselves or as another user. */
export async function deleteSessionsOf(db: Db, user_id: number, except: string | null): Promise<void> {
  const all = db.deleteFrom('sessions').where((eb) => eb.or([eb('user_id', '=', user_id), eb('impersonator_id', '=', user_id)]))
  await (except === null ? all : all.where('digest', '<>', except)).execute()
}

export type SessionRow = Selectable<SessionTable>

/** The unexpired sessions of the user themselves, most recently used first; no more than `max`. */
export function sessionsOf(db: Db, user_id: number, max: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('impersonator_id', 'is', null)
    .where('expires_at', '>', now())
    .orderBy('expires_at', 'desc')
    .orderBy('digest')
    .limit(max)
    .execute()
}

/** Reads and locks the session until the transaction ends; undefined if it has ended. */
export function lockSession(tx: Tx, digest: string): Promise<SessionRow | undefined> {
  return lockedRows(tx, tx.selectFrom('sessions').selectAll().where('digest', '=', digest)).executeTakeFirst()
}

/** Records that the user has postponed setting up a second factor. */
export async function skipSecondFactor(db: Db, digest: string): Promise<void> {
  await db.updateTable('sessions').set({ skips_second_factor: true }).where('digest', '=', digest).execute()
}

/** Deletes expired sessions. */
export async function deleteEnded(db: Db): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now()).execute()
}

/**
 * Moves the time of the current sign-in to the last one. False if the user was blocked, or the password changed, since
 * the user was loaded: a concurrent change waits for the row, and then ends this session with all others. Also false if the user
 * has a second factor that was not used (`isProved`).
 */
export async function noteSignIn(
  db: Db,
  { id, password_hash }: Pick<User, 'id' | 'password_hash'>,
  { isProved }: { isProved: boolean },
): Promise<boolean> {
  const at = now()
  const update = db
    .updateTable('users')
    .set((eb) => ({
      last_sign_in_at: eb.fn.coalesce('current_sign_in_at', eb.val(at)),
      current_sign_in_at: at,
      last_activity_on: at.slice(0, 10),
    }))
    .where('id', '=', id)
    .where(usersWhoMayAct())
    .where('password_hash', password_hash === null ? 'is' : '=', password_hash)
  const { numUpdatedRows } = await (isProved ? update : update.where('two_factor_enabled', '=', false)).executeTakeFirst()
  return numUpdatedRows > 0n
}
