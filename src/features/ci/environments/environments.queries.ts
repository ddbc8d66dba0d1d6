/** SQL for environments. */
import type { Insertable, Updateable } from 'kysely'
import { contains, type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { CiEnvironment, CiEnvironmentTable, Instant } from '../../../db/tables.ts'

export interface EnvironmentFilter {
  name?: string | undefined
  search?: string | undefined
  states?: CiEnvironment['state'] | undefined
}

/** Ordered by name. */
export function listEnvironments(
  db: Db,
  project_id: number,
  { name, search, states }: EnvironmentFilter,
  page: PageOf,
): Promise<{ rows: CiEnvironment[]; total: number }> {
  let query = db.selectFrom('ci_environments').selectAll().where('project_id', '=', project_id)
  if (name !== undefined) query = query.where('name', '=', name)
  if (search) query = query.where(contains('name', search))
  if (states) query = query.where('state', '=', states)
  return paginate(query.orderBy('name').orderBy('id'), page)
}

export async function environmentAt(db: Db, project_id: number, id: number): Promise<CiEnvironment | null> {
  const found = db.selectFrom('ci_environments').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

export async function lockEnvironment(tx: Tx, id: number): Promise<CiEnvironment | null> {
  return (await lockedRows(tx, tx.selectFrom('ci_environments').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export function environmentsNamed(db: Db, project_id: number, names: readonly string[]): Promise<CiEnvironment[]> {
  return db.selectFrom('ci_environments').selectAll().where('project_id', '=', project_id).where('name', 'in', names).execute()
}

export async function environmentsById(db: Db, ids: readonly number[]): Promise<Map<number, CiEnvironment>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('ci_environments')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export function insertEnvironment(db: Db, row: Insertable<CiEnvironmentTable>): Promise<CiEnvironment> {
  return db.insertInto('ci_environments').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Skips names that are taken. */
export async function insertNewEnvironments(db: Db, rows: Insertable<CiEnvironmentTable>[]): Promise<void> {
  await db
    .insertInto('ci_environments')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Null if it has been deleted meanwhile. */
export async function updateEnvironment(db: Db, id: number, changes: Updateable<CiEnvironmentTable>): Promise<CiEnvironment | null> {
  return (await db.updateTable('ci_environments').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteEnvironment(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_environments').where('id', '=', id).execute()
}

/** Environments to stop by now, the earliest first. */
export function endingEnvironments(db: Db, at: Instant, limit: number): Promise<CiEnvironment[]> {
  return db
    .selectFrom('ci_environments')
    .selectAll()
    .where('auto_stop_at', '<=', at)
    .where('state', '=', 'available')
    .orderBy('auto_stop_at')
    .limit(limit)
    .execute()
}
