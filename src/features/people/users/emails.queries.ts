/** SQL for the email addresses of users: primary ones, which are also in `users`, and others. */
import type { Insertable } from 'kysely'
import { type Db, lockedRows, type PageOf, paginate } from '../../../db/database.ts'
import type { Email, EmailTable, Instant } from '../../../db/tables.ts'

/** Fails on the unique index if anyone has the address. */
export function insertEmail(db: Db, row: Omit<Insertable<EmailTable>, 'email_key'>): Promise<Email> {
  return db
    .insertInto('emails')
    .values({ ...row, email_key: row.email.toLowerCase() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The user with this address, confirmed or not. */
export async function findAddress(db: Db, email: string): Promise<Email | null> {
  return (await db.selectFrom('emails').selectAll().where('email_key', '=', email.toLowerCase()).executeTakeFirst()) ?? null
}

/** As `findAddress`, with the row locked until the transaction ends. */
export async function lockAddress(tx: Db, email: string): Promise<Email | null> {
  const query = tx.selectFrom('emails').selectAll().where('email_key', '=', email.toLowerCase())
  return (await lockedRows(tx, query).executeTakeFirst()) ?? null
}

/** The user with this confirmed address, or null. */
export async function holderOfAddress(db: Db, email: string): Promise<number | null> {
  const query = db.selectFrom('emails').select('user_id').where('email_key', '=', email.toLowerCase()).where('confirmed_at', 'is not', null)
  return (await query.executeTakeFirst())?.user_id ?? null
}

/** The confirmed addresses of a user, in lower case. */
export async function addressesOf(db: Db, userId: number): Promise<Set<string>> {
  const query = db.selectFrom('emails').select('email_key').where('user_id', '=', userId).where('confirmed_at', 'is not', null)
  return new Set((await query.execute()).map(({ email_key }) => email_key))
}

/** The secondary addresses of a user. */
export function listEmails(db: Db, userId: number, page: PageOf): Promise<{ rows: Email[]; total: number }> {
  return paginate(secondary(db, userId).orderBy('id'), page)
}

/** All addresses of a user, the primary one first; no more than `max`. */
export function allEmails(db: Db, userId: number, max: number): Promise<Email[]> {
  return db.selectFrom('emails').selectAll().where('user_id', '=', userId).orderBy('is_primary', 'desc').orderBy('id').limit(max).execute()
}

export async function emailOfUser(db: Db, userId: number, id: number): Promise<Email | null> {
  return (await secondary(db, userId).where('id', '=', id).executeTakeFirst()) ?? null
}

function secondary(db: Db, userId: number) {
  return db.selectFrom('emails').selectAll().where('user_id', '=', userId).where('is_primary', '=', false)
}

/** False if it is the user's primary address by now, which can't be deleted. */
export async function deleteEmail(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('emails').where('id', '=', id).where('is_primary', '=', false).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes the address as the public one and as the one for notifications. */
export async function forgetEmail(db: Db, userId: number, email: string): Promise<void> {
  const key = email.toLowerCase()
  const own = db.updateTable('users').where('id', '=', userId)
  await own.set({ public_email: '' }).where('public_email', '=', key).execute()
  await own.set({ notification_email: null }).where('notification_email', '=', key).execute()
}

/** Makes the primary address of a user a secondary one. */
export async function demotePrimary(db: Db, userId: number): Promise<void> {
  await db.updateTable('emails').set({ is_primary: false }).where('user_id', '=', userId).where('is_primary', '=', true).execute()
}

export async function confirmEmailRow(db: Db, id: number, confirmed_at: Instant): Promise<void> {
  await db.updateTable('emails').set({ confirmed_at }).where('id', '=', id).execute()
}

export async function promoteEmail(db: Db, id: number, email: string, confirmed_at: Instant): Promise<void> {
  await db.updateTable('emails').set({ is_primary: true, email, confirmed_at }).where('id', '=', id).execute()
}
