/** SQL for projects whose import is not finished. */
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Project } from '../../../db/tables.ts'

/** The project, while its import is scheduled or started. */
export async function findUnfilled(db: Db, id: number): Promise<LocatedProject | null> {
  const found = await locatedProjects(db)
    .where('projects.id', '=', id)
    .where('projects.import_status', 'in', ['scheduled', 'started'])
    .executeTakeFirst()
  return found ?? null
}

/** Returns false without a change if the import has ended or the project is gone. */
export async function setImportState(
  db: Db,
  id: number,
  state: Pick<Project, 'import_status'> & { import_error?: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('projects')
    .set({ ...state, updated_at: now() })
    .where('id', '=', id)
    .where('import_status', 'in', ['scheduled', 'started'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Schedules an import, again or for the first time, as its state has to be; false for another state, and where something has been pushed. */
export async function reopenImport(
  tx: Db,
  id: number,
  { import_url, after }: { import_url: string | null; after: ReadonlyArray<Project['import_status']> },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ import_status: 'scheduled', import_error: null, import_url, updated_at: now() })
    .where('id', '=', id)
    .where('import_status', 'in', after)
    .where('default_branch', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Started imports that were last updated before the given time. */
export async function importsNotUpdatedSince(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('import_status', '=', 'started')
    .where('updated_at', '<', before)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
