/** SQL of the appearance: a row for each part that was set. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { AppearanceTable } from '../../../db/tables.ts'

export const storedParts = prepared((db: Db) => db.selectFrom('appearance').selectAll())

export async function writePart(db: Db, row: AppearanceTable): Promise<void> {
  await db
    .insertInto('appearance')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function deletePart(db: Db, name: string): Promise<void> {
  await db.deleteFrom('appearance').where('name', '=', name).execute()
}
