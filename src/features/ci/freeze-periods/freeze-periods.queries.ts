/** SQL for freeze periods. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { CiFreezePeriod, CiFreezePeriodTable } from '../../../db/tables.ts'

/** Oldest first. */
export function listFreezePeriods(db: Db, project_id: number, page: PageOf): Promise<{ rows: CiFreezePeriod[]; total: number }> {
  return paginate(db.selectFrom('ci_freeze_periods').selectAll().where('project_id', '=', project_id).orderBy('id'), page)
}

export const freezePeriodsOf = prepared((db: Db, project_id: number) =>
  db.selectFrom('ci_freeze_periods').selectAll().where('project_id', '=', project_id).orderBy('id'),
)

export async function freezePeriodAt(db: Db, project_id: number, id: number): Promise<CiFreezePeriod | null> {
  const found = db.selectFrom('ci_freeze_periods').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

export function insertFreezePeriod(db: Db, row: Insertable<CiFreezePeriodTable>): Promise<CiFreezePeriod> {
  return db.insertInto('ci_freeze_periods').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it has been deleted meanwhile. */
export async function updateFreezePeriod(db: Db, id: number, changes: Updateable<CiFreezePeriodTable>): Promise<CiFreezePeriod | null> {
  return (await db.updateTable('ci_freeze_periods').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteFreezePeriod(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_freeze_periods').where('id', '=', id).execute()
}
