/** SQL for the tokens that register runners. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'

interface StoredToken {
  sealed: string
  digest: string
}

/** A row of the settings that no API of settings shows. */
const name = 'runners_registration_token'

const storedInstanceToken = prepared((db: Db) => db.selectFrom('settings').select('value').where('name', '=', name))

export async function instanceToken(db: Db): Promise<StoredToken | null> {
  const [row] = await storedInstanceToken(db)
  return row ? (JSON.parse(row.value) as StoredToken) : null
}

export async function setInstanceToken(db: Db, stored: StoredToken): Promise<void> {
  const value = JSON.stringify(stored)
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function groupOfToken(db: Db, runners_token_digest: string): Promise<number | null> {
  const row = await db.selectFrom('namespaces').select('id').where('runners_token_digest', '=', runners_token_digest).executeTakeFirst()
  return row?.id ?? null
}

export async function setGroupToken(db: Db, id: number, { sealed, digest }: StoredToken): Promise<void> {
  await db.updateTable('namespaces').set({ runners_token: sealed, runners_token_digest: digest }).where('id', '=', id).execute()
}

export async function projectOfToken(db: Db, runners_token: string): Promise<number | null> {
  return (await db.selectFrom('projects').select('id').where('runners_token', '=', runners_token).executeTakeFirst())?.id ?? null
}

export async function setProjectToken(db: Db, id: number, runners_token: string): Promise<void> {
  await db.updateTable('projects').set({ runners_token }).where('id', '=', id).execute()
}
