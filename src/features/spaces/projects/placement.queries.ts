/** SQL for the namespace and path of a project, and for conflicts there. */
import type { Db } from '../../../db/database.ts'

export async function countProjectsOf(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Whether another project than `besides` in the namespace has the name. */
export async function isNameTaken(db: Db, namespaceId: number, name: string, besides: number | null): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst()
  return found !== undefined && found.id !== besides
}

/** Whether the path leads to anything other than the project `besides`. */
export async function isRouteTaken(db: Db, path: string, besides: number | null): Promise<boolean> {
  const found = await db.selectFrom('routes').select('project_id').where('path_key', '=', path.toLowerCase()).executeTakeFirst()
  return found !== undefined && (besides === null || found.project_id !== besides)
}

/** Whether the path leads to a project other than `besides`. */
export async function isProjectAt(db: Db, path: string, besides: number | null): Promise<boolean> {
  const found = await db
    .selectFrom('routes')
    .select('project_id')
    .where('path_key', '=', path.toLowerCase())
    .where('project_id', 'is not', null)
    .executeTakeFirst()
  return found !== undefined && found.project_id !== besides
}
