/** SQL for the tokens that register runners. */
import { instanceTokenSetting as name, type StoredToken } from '../../../access/runners/registration-tokens.ts'
import type { Db } from '../../../db/database.ts'

export async function setInstanceToken(db: Db, stored: StoredToken): Promise<void> {
  const value = JSON.stringify(stored)
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function setGroupToken(db: Db, id: number, { sealed, digest }: StoredToken): Promise<void> {
  await db.updateTable('namespaces').set({ runners_token: sealed, runners_token_digest: digest }).where('id', '=', id).execute()
}

export async function setProjectToken(db: Db, id: number, { sealed, digest }: StoredToken): Promise<void> {
  await db.updateTable('projects').set({ runners_token: sealed, runners_token_digest: digest }).where('id', '=', id).execute()
}
