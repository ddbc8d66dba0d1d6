/** SQL for messages that have arrived. */
import { termsInForce } from '../../../access/terms.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ReceivedMail, User } from '../../../db/tables.ts'

/** Counts an attempt to handle the message. Returns the row as it is then. */
export function countAttempt(db: Db, key: string): Promise<ReceivedMail> {
  return db
    .insertInto('received_mails')
    .values({ key, state: 'new', attempts: 1, received_at: now() })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((eb) => ({ attempts: eb('received_mails.attempts', '+', 1) })))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Ends it in the transaction of what follows from the message. False if another process has done so. */
export async function endMessage(tx: Tx, key: string, state: 'commented' | 'refused'): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('received_mails')
    .set({ state })
    .where('key', '=', key)
    .where('state', '=', 'new')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns how many */
export async function forgetMessages(tx: Tx, before: Date, limit: number): Promise<number> {
  const old = tx.selectFrom('received_mails').select('key').where('received_at', '<', before.toISOString()).limit(limit)
  return Number((await tx.deleteFrom('received_mails').where('key', 'in', old).executeTakeFirst()).numDeletedRows)
}

/** The user, and the terms that are in force for them. */
export function senderById(db: Db, id: number): Promise<(User & { terms_in_force: string | null }) | undefined> {
  return db.selectFrom('users').selectAll().select(termsInForce(db)).where('id', '=', id).executeTakeFirst()
}
