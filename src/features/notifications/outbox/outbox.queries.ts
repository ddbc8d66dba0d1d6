/** SQL for waiting and recently sent mail. */
import type { Insertable } from 'kysely'
import { usersWhoMayAct } from '../../../access/states.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Mail, MailContent, MailContentTable, MailTable, User } from '../../../db/tables.ts'

/** Rows per statement. */
const rowsAtOnce = 500

/** Inserts the content, unless there is one with its key. */
export async function contentId(tx: Tx, row: Insertable<MailContentTable>): Promise<{ id: number; isNew: boolean }> {
  const inserted = tx
    .insertInto('mail_contents')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing())
  const fresh = await inserted.returning('id').executeTakeFirst()
  if (fresh) return { id: fresh.id, isNew: true }
  const known = await lockedRows(tx, tx.selectFrom('mail_contents').select('id').where('key', '=', row.key)).executeTakeFirstOrThrow()
  return { id: known.id, isNew: false }
}

/** The given users who already get this content. */
export async function usersWithContent(tx: Tx, content_id: number, users: ReadonlyArray<{ id: number }>): Promise<Set<number>> {
  const told = new Set<number>()
  for (let at = 0; at < users.length; at += rowsAtOnce) {
    const ids = users.slice(at, at + rowsAtOnce).map(({ id }) => id)
    const rows = await tx.selectFrom('mails').select('user_id').where('content_id', '=', content_id).where('user_id', 'in', ids).execute()
    for (const { user_id } of rows) told.add(user_id)
  }
  return told
}

export async function insertMails(tx: Tx, rows: Insertable<MailTable>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await tx
      .insertInto('mails')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
  }
}

/** The messages that have waited longest, which this process owns from now on. */
export async function claimMails(tx: Tx, limit: number): Promise<Mail[]> {
  const due = tx.selectFrom('mails').selectAll().where('state', '=', 'waiting').where('due_at', '<=', now())
  const rows = await lockedRows(tx, due.orderBy('due_at').orderBy('id').limit(limit)).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await tx.updateTable('mails').set({ state: 'sending', due_at: now() }).where('id', 'in', ids).execute()
  return rows
}

export function contentsOf(db: Db, ids: number[]): Promise<MailContent[]> {
  return db.selectFrom('mail_contents').selectAll().where('id', 'in', ids).execute()
}

export async function recordMail(db: Db, id: number, change: Partial<Mail>): Promise<void> {
  await db.updateTable('mails').set(change).where('id', '=', id).execute()
}

/**
 * Messages of a process that has ended: it is unknown whether they were sent.
 * @returns how many
 */
export async function giveUpInterrupted(db: Db, before: Date): Promise<number> {
  const given = db
    .updateTable('mails')
    .set({ state: 'failed', last_error: 'the server stopped while it was being sent' })
    .where('state', '=', 'sending')
    .where('due_at', '<', before.toISOString())
  return Number((await given.executeTakeFirst()).numUpdatedRows)
}

/**
 * With all their messages.
 * @returns how many
 */
export async function deleteContents(tx: Tx, before: Date, limit: number): Promise<number> {
  const old = tx.selectFrom('mail_contents').select('id').where('created_at', '<', before.toISOString()).orderBy('created_at').limit(limit)
  return Number((await tx.deleteFrom('mail_contents').where('id', 'in', old).executeTakeFirst()).numDeletedRows)
}

export type Addressee = Pick<User, 'id' | 'email' | 'notification_email' | 'notified_of_own_activity'>

/** The given users who get mail at all: people who may sign in, with a confirmed address. */
export function addressees(db: Db, userIds: number[]): Promise<Addressee[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'notification_email', 'notified_of_own_activity'])
    .where('id', 'in', userIds)
    .where(usersWhoMayAct())
    .where('kind', '=', 'human')
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute()
}
