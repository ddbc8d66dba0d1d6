/** SQL for the state of project exports, and the location of their archives. */
import type { Selectable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import { type Db, lockedRows } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ProjectExportTable } from '../../../db/tables.ts'

export type ProjectExport = Selectable<ProjectExportTable>

export async function findExport(db: Db, project_id: number): Promise<ProjectExport | null> {
  return (await db.selectFrom('project_exports').selectAll().where('project_id', '=', project_id).executeTakeFirst()) ?? null
}

/** As `findExport`, and locks it until the transaction ends. */
export async function lockExport(tx: Db, project_id: number): Promise<ProjectExport | null> {
  return (
    (await lockedRows(tx, tx.selectFrom('project_exports').selectAll().where('project_id', '=', project_id)).executeTakeFirst()) ?? null
  )
}

/** Queues an export: the archive of the previous one is kept until the new one is stored. */
export async function queueExport(
  db: Db,
  project_id: number,
  { description, with_addresses }: Pick<ProjectExport, 'description' | 'with_addresses'>,
): Promise<void> {
  const queued = { state: 'queued' as const, description, with_addresses, attempts: 0, updated_at: now() }
  await db
    .insertInto('project_exports')
    .values({ project_id, store_key: null, size: null, ...queued })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(queued))
    .execute()
}

export async function updateExport(db: Db, project_id: number, change: Partial<ProjectExport>): Promise<void> {
  await db
    .updateTable('project_exports')
    .set({ ...change, updated_at: now() })
    .where('project_id', '=', project_id)
    .execute()
}

export async function deleteExport(db: Db, project_id: number): Promise<void> {
  await db.deleteFrom('project_exports').where('project_id', '=', project_id).execute()
}

/** Projects whose export ended before the given time, successfully or not. */
export async function exportsEndedBefore(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('project_exports')
    .select('project_id')
    .where('state', 'in', ['finished', 'sending', 'failed'])
    .where('updated_at', '<', before)
    .execute()
  return rows.map(({ project_id }) => project_id)
}

export async function projectRow(db: Db, id: number): Promise<LocatedProject | null> {
  return (await locatedProjects(db).where('projects.id', '=', id).executeTakeFirst()) ?? null
}
