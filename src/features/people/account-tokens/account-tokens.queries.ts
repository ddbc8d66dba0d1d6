/** SQL for tokens that are sent to users by mail. */
import type { Db, Tx } from '../../../db/database.ts'
import type { AccountToken, Instant } from '../../../db/tables.ts'

export type TokenPurpose = AccountToken['purpose']

export async function insertAccountToken(tx: Tx, row: AccountToken): Promise<void> {
  await tx.insertInto('account_tokens').values(row).execute()
}

/** The user's tokens that expire later than this, and so were issued since a certain time. */
export async function countTokensUntil(db: Db, user_id: number, purpose: TokenPurpose, expires_after: Instant): Promise<number> {
  const tokens = db.selectFrom('account_tokens').where('user_id', '=', user_id).where('purpose', '=', purpose)
  const { count } = await tokens
    .where('expires_at', '>', expires_after)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function accountTokenBy(db: Db, digest: string, purpose: TokenPurpose, at: Instant): Promise<AccountToken | null> {
  const token = db.selectFrom('account_tokens').selectAll().where('digest', '=', digest).where('purpose', '=', purpose)
  return (await token.where('expires_at', '>', at).executeTakeFirst()) ?? null
}

/** Deletes it: of two concurrent uses, only one gets its row. */
export async function takeAccountToken(tx: Tx, digest: string, purpose: TokenPurpose, at: Instant): Promise<AccountToken | null> {
  const token = tx.deleteFrom('account_tokens').where('digest', '=', digest).where('purpose', '=', purpose).where('expires_at', '>', at)
  return (await token.returningAll().executeTakeFirst()) ?? null
}

/** @param purpose of these alone; null for all */
export async function deleteAccountTokens(tx: Tx, user_id: number, purpose: TokenPurpose | null): Promise<void> {
  const all = tx.deleteFrom('account_tokens').where('user_id', '=', user_id)
  await (purpose === null ? all : all.where('purpose', '=', purpose)).execute()
}

export async function deleteExpiredTokens(db: Db, at: Instant): Promise<void> {
  await db.deleteFrom('account_tokens').where('expires_at', '<=', at).execute()
}
