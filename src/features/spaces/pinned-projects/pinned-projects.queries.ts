/** SQL for the projects that users show first on their profiles. */
import type { Db, Tx } from '../../../db/database.ts'

/** Ids of the pinned projects, in the order that the user chose. */
export async function pinsOf(db: Db, user_id: number): Promise<number[]> {
  const rows = await db.selectFrom('pinned_projects').select('project_id').where('user_id', '=', user_id).orderBy('position').execute()
  return rows.map(({ project_id }) => project_id)
}

export async function replacePins(tx: Tx, user_id: number, projectIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('pinned_projects').where('user_id', '=', user_id).execute()
  if (projectIds.length === 0) return
  const rows = projectIds.map((project_id, position) => ({ user_id, project_id, position }))
  await tx.insertInto('pinned_projects').values(rows).execute()
}
