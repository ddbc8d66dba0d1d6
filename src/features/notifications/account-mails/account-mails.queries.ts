/** SQL for mail about accounts. */
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { TokenPurpose } from '../../people/account-tokens/account-tokens.ts'

/** An address for a link, as it is stored: mail is never sent to an address as typed. */
export interface Reader {
  user: User
  email: string
}

/**
 * The user with this address, if a link of this kind may go to it: for a confirmation it must be unconfirmed, otherwise it must be the
 * primary address.
 */
export async function readerAt(db: Db, typed: string, purpose: TokenPurpose): Promise<Reader | null> {
  const key = typed.trim().toLowerCase()
  if (purpose !== 'confirm_email') {
    const user = await db.selectFrom('users').selectAll().where('email_key', '=', key).executeTakeFirst()
    return user ? { user, email: user.email } : null
  }
  const unconfirmed = db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .selectAll('users')
    .select('emails.email as at')
    .where('emails.email_key', '=', key)
    .where('emails.confirmed_at', 'is', null)
  const { at, ...user } = (await unconfirmed.executeTakeFirst()) ?? { at: null }
  if (at !== null) return { user: user as User, email: at }
  const waiting = await db.selectFrom('users').selectAll().where('unconfirmed_email', '=', key).orderBy('id').executeTakeFirst()
  return waiting ? { user: waiting, email: key } : null
}

/** Whether the user still has this address, and it is still unconfirmed. */
export async function isUnconfirmed(db: Db, user: User, email: string): Promise<boolean> {
  if (user.unconfirmed_email === email) return true
  const address = db.selectFrom('emails').select('id').where('user_id', '=', user.id).where('email', '=', email)
  return (await address.where('confirmed_at', 'is', null).executeTakeFirst()) !== undefined
}
