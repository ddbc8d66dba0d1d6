/** SQL for the progress of archive imports. */
import type { Insertable, Selectable } from 'kysely'
import { type Db, lockedRows } from '../../../db/database.ts'
import type { ProjectImportTable } from '../../../db/tables.ts'

export type ProjectImport = Selectable<ProjectImportTable>

export async function insertImport(db: Db, row: Insertable<ProjectImportTable>): Promise<void> {
  await db.insertInto('project_imports').values(row).execute()
}

export async function findImport(db: Db, project_id: number): Promise<ProjectImport | null> {
  return (await db.selectFrom('project_imports').selectAll().where('project_id', '=', project_id).executeTakeFirst()) ?? null
}

/** As `findImport`, and locks it until the transaction ends. */
export async function lockImport(tx: Db, project_id: number): Promise<ProjectImport | null> {
  return (
    (await lockedRows(tx, tx.selectFrom('project_imports').selectAll().where('project_id', '=', project_id)).executeTakeFirst()) ?? null
  )
}

export async function setImportAttempts(db: Db, project_id: number, attempts: number): Promise<void> {
  await db.updateTable('project_imports').set({ attempts }).where('project_id', '=', project_id).execute()
}

export async function deleteImport(db: Db, project_id: number): Promise<void> {
  await db.deleteFrom('project_imports').where('project_id', '=', project_id).execute()
}

export async function setImportStatus(
  db: Db,
  project_id: number,
  import_status: 'started' | 'finished' | 'failed',
  import_error: string | null = null,
): Promise<void> {
  await db.updateTable('projects').set({ import_status, import_error }).where('id', '=', project_id).execute()
}
