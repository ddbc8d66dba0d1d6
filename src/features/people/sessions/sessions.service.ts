/** Sessions: how they begin and end. */
import { randomBytes } from 'node:crypto'
import { digestOfSession, endOf } from '../../../access/sessions.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { deleteSession, insertSession, noteSignIn } from './sessions.queries.ts'

/** A value for a cookie that nobody can guess. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Begins a session and returns the value of its cookie, which is not stored. Throws 403 where the user has changed since
 * the password was checked.
 */
export async function beginSession(app: App, user: Pick<User, 'id' | 'password_hash'>): Promise<string> {
  const secret = newSecret()
  await inTransaction(app.db, async (tx) => {
    if (!(await noteSignIn(tx, user))) throw new Failure('forbidden', 'Your account has changed meanwhile. Sign in again.')
    const { session_expire_delay: lasts_min } = await readSettings(tx)
    const row = { digest: digestOfSession(secret), user_id: user.id, lasts_min, expires_at: endOf(lasts_min), created_at: now() }
    await insertSession(tx, row)
  })
  return secret
}

export async function endSession(db: Db, digest: string): Promise<void> {
  await deleteSession(db, digest)
}
