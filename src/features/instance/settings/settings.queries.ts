/** SQL of the settings: one row for each that differs from its default, with its value as JSON. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'

export const storedRows = prepared((db: Db) => db.selectFrom('settings').selectAll())

export async function writeRow(db: Db, name: string, value: unknown): Promise<void> {
  const row = { name, value: JSON.stringify(value) }
  await db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function deleteRow(db: Db, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute()
}

/** When the first migration of this database ran. */
export async function madeAt(db: Db): Promise<string> {
  const { rows } = await sql<{ at: string }>`select min(timestamp) as at from schema_migrations`.execute(db)
  return (rows[0] as { at: string }).at
}

export async function noteAcceptance(db: Db, user_id: number, digest: string): Promise<void> {
  await db.updateTable('users').set({ accepted_terms: digest }).where('id', '=', user_id).execute()
}
