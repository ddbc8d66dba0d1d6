/** SQL for mail about accounts. */
import { usersWhoMayAct } from '../../../access/states.ts'
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { TokenPurpose } from '../../people/account-tokens/account-tokens.ts'

/** The stored address that a link is sent to: never the typed one. */
export interface Reader {
  user: User
  email: string
}

/**
 * The user with this address, if a link for this purpose may be sent there: for confirmation it must be unconfirmed; otherwise it must be
 * the primary address.
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

/** Administrators of an instance with more of them needn't all hear of each account that waits, or was reported. */
const maxApprovers = 100

/** The administrators who get mail about accounts that wait for approval, and about reports of abuse. */
export function approvers(db: Db): Promise<Array<Pick<User, 'id' | 'email' | 'notification_email'>>> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'notification_email'])
    .where('admin', '=', true)
    .where('kind', '=', 'human')
    .where(usersWhoMayAct())
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .limit(maxApprovers)
    .execute()
}

/** Whether the user still has this address, and nobody has confirmed it. */
export async function isUnconfirmed(db: Db, user: User, email: string): Promise<boolean> {
  if (user.unconfirmed_email === email) return true
  const address = db.selectFrom('emails').select('id').where('user_id', '=', user.id).where('email', '=', email)
  return (await address.where('confirmed_at', 'is', null).executeTakeFirst()) !== undefined
}
