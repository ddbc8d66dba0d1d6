/** SQL of second factors, and of pending sign-ins. */
import type { Insertable } from 'kysely'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Passkey, PasskeyTable, PendingSignIn, PendingSignInTable, TotpFactor, TotpFactorTable } from '../../../db/tables.ts'

export async function findTotp(db: Db, user_id: number): Promise<TotpFactor | null> {
  return (await db.selectFrom('totp_factors').selectAll().where('user_id', '=', user_id).executeTakeFirst()) ?? null
}

/** Replaces the existing app. */
export async function replaceTotp(tx: Tx, row: Insertable<TotpFactorTable>): Promise<void> {
  await tx.deleteFrom('totp_factors').where('user_id', '=', row.user_id).execute()
  await tx.insertInto('totp_factors').values(row).execute()
}

/** Records that the code of this step was used. False if it or a later one was used before; of two concurrent calls, one returns true. */
export async function useStep(db: Db, user_id: number, secret: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp_factors')
    .set({ last_counter: step })
    .where('user_id', '=', user_id)
    .where('secret', '=', secret)
    .where('last_counter', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if there is no such code, or it was used before; of two concurrent calls, one returns true. */
export async function useRecoveryCode(db: Db, user_id: number, digest: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', user_id)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countRecoveryCodes(db: Db, user_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Replaces the existing codes. */
export async function replaceRecoveryCodes(tx: Tx, user_id: number, digests: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
  await tx
    .insertInto('recovery_codes')
    .values(digests.map((digest) => ({ user_id, digest })))
    .execute()
}

export async function deleteFactors(tx: Tx, user_id: number): Promise<void> {
  await tx.deleteFrom('totp_factors').where('user_id', '=', user_id).execute()
  await tx.deleteFrom('passkeys').where('user_id', '=', user_id).execute()
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
}

export async function setEnabled(tx: Tx, user_id: number, two_factor_enabled: boolean): Promise<void> {
  await tx.updateTable('users').set({ two_factor_enabled, updated_at: now() }).where('id', '=', user_id).execute()
}

/** Oldest first. */
export function passkeysOf(db: Db, user_id: number): Promise<Passkey[]> {
  return db.selectFrom('passkeys').selectAll().where('user_id', '=', user_id).orderBy('id').execute()
}

/** Finds a passkey by the id that its device chose; null if it is unknown. */
export async function passkeyNamed(db: Db, credential_id: string): Promise<Passkey | null> {
  return (await db.selectFrom('passkeys').selectAll().where('credential_id', '=', credential_id).executeTakeFirst()) ?? null
}

/** Marks a challenge as used; false if it was used before. Also deletes expired ones. */
export async function spendChallenge(db: Db, digest: string, ends_at: string): Promise<boolean> {
  await db.deleteFrom('spent_challenges').where('ends_at', '<=', now()).execute()
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('spent_challenges')
    .values({ digest, ends_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export async function insertPasskey(tx: Tx, row: Insertable<PasskeyTable>): Promise<void> {
  await tx.insertInto('passkeys').values(row).execute()
}

/** False if there is none with this id. */
export async function deletePasskey(tx: Tx, user_id: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('passkeys').where('user_id', '=', user_id).where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Records its use. False if it was used since it was read. */
export async function usePasskey(db: Db, { id, counter }: Pick<Passkey, 'id' | 'counter'>, after: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter: after, last_used_at: now() })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Also deletes expired ones. */
export async function insertPending(tx: Tx, row: Insertable<PendingSignInTable>): Promise<void> {
  await tx.deleteFrom('pending_sign_ins').where('expires_at', '<=', now()).execute()
  await tx.insertInto('pending_sign_ins').values(row).execute()
}

export async function findPending(db: Db, digest: string): Promise<PendingSignIn | null> {
  const found = await db.selectFrom('pending_sign_ins').selectAll().where('digest', '=', digest).executeTakeFirst()
  return found && found.expires_at > now() ? found : null
}

/** False if it was deleted before; of two concurrent calls, one returns true. */
export async function deletePending(db: Db, digest: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('pending_sign_ins').where('digest', '=', digest).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deletePendingOf(db: Db, user_id: number): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('user_id', '=', user_id).execute()
}

/** Prevents other changes of the user's factors until the transaction ends. */
export async function lockOwner(tx: Tx, user_id: number) {
  return lockedRows(
    tx,
    tx.selectFrom('users').select(['id', 'state', 'kind', 'two_factor_enabled']).where('id', '=', user_id),
  ).executeTakeFirst()
}
