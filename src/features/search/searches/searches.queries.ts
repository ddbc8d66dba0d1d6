/** SQL for searches that no other feature has. */
import type { Db } from '../../../db/database.ts'

/** Full paths of these projects, keyed by id. */
export async function pathsByIds(db: Db, projectIds: number[]): Promise<Map<number, string>> {
  if (projectIds.length === 0) return new Map()
  const found = await db
    .selectFrom('routes')
    .select((eb) => [eb.ref('project_id').$notNull().as('project_id'), 'path'])
    .where('project_id', 'in', projectIds)
    .execute()
  return new Map(found.map(({ project_id, path }) => [project_id, path]))
}
