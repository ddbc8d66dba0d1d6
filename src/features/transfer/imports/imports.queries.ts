/** SQL for projects whose content is on its way. */
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Project } from '../../../db/tables.ts'

/** The project, as long as its content has neither come nor failed to. */
export async function findUnfilled(db: Db, id: number): Promise<LocatedProject | null> {
  const found = await locatedProjects(db)
    .where('projects.id', '=', id)
    .where('projects.import_status', 'in', ['scheduled', 'started'])
    .executeTakeFirst()
  return found ?? null
}

/** Only what is on its way changes: what has come or failed to is what it is. False then, and where there is no project. */
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

/** Those begun before an instant and not heard of since. */
export async function forgottenSince(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('import_status', '=', 'started')
    .where('updated_at', '<', before)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
