/** SQL for the allow lists of projects and groups whose job tokens a project accepts. */

import { groupsVisibleTo, projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'

/** The ids of the projects on the list that the viewer can see, in ascending order. */
export async function listAllowedProjects(
  db: Db,
  project_id: number,
  viewer: Viewer,
  page: PageOf,
): Promise<{ ids: number[]; total: number }> {
  const allowed = db
    .selectFrom('ci_job_token_projects')
    .innerJoin('projects', 'projects.id', 'ci_job_token_projects.allowed_project_id')
    .select('projects.id')
    .where('ci_job_token_projects.project_id', '=', project_id)
    .where((eb) => projectsVisibleTo(viewer)(eb as never))
    .orderBy('projects.id')
  const { rows, total } = await paginate(allowed, page)
  return { ids: rows.map(({ id }) => id), total }
}

export interface AllowedGroup {
  id: number
  name: string
  full_path: string
}

/** The groups on the list that the viewer can see, ordered by id. */
export function listAllowedGroups(
  db: Db,
  project_id: number,
  viewer: Viewer,
  page: PageOf,
): Promise<{ rows: AllowedGroup[]; total: number }> {
  const allowed = db
    .selectFrom('ci_job_token_groups')
    .innerJoin('namespaces', 'namespaces.id', 'ci_job_token_groups.allowed_namespace_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.name', 'routes.path as full_path'])
    .where('ci_job_token_groups.project_id', '=', project_id)
    .where((eb) => groupsVisibleTo(viewer)(eb as never))
    .orderBy('namespaces.id')
  return paginate(allowed, page)
}

/** Locks the project, so that concurrent additions are counted. False if it was deleted meanwhile. */
export async function lockScope(tx: Tx, project_id: number): Promise<boolean> {
  const project = tx.selectFrom('projects').select('id').where('id', '=', project_id)
  return (await lockedRows(tx, project).executeTakeFirst()) !== undefined
}

/** How many projects and groups are on the lists of a project. */
export async function countAllowed(db: Db, project_id: number): Promise<number> {
  const { projects, groups } = await db
    .selectNoFrom((eb) => [
      eb.selectFrom('ci_job_token_projects').select(eb.fn.countAll<number>().as('n')).where('project_id', '=', project_id).as('projects'),
      eb.selectFrom('ci_job_token_groups').select(eb.fn.countAll<number>().as('n')).where('project_id', '=', project_id).as('groups'),
    ])
    .executeTakeFirstOrThrow()
  return Number(projects) + Number(groups)
}

/** False if it is already on the list. */
export async function allowProject(tx: Tx, project_id: number, allowed_project_id: number): Promise<boolean> {
  const row = tx.insertInto('ci_job_token_projects').values({ project_id, allowed_project_id, created_at: now() })
  const { numInsertedOrUpdatedRows } = await row.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** False if it is already on the list. */
export async function allowGroup(tx: Tx, project_id: number, allowed_namespace_id: number): Promise<boolean> {
  const row = tx.insertInto('ci_job_token_groups').values({ project_id, allowed_namespace_id, created_at: now() })
  const { numInsertedOrUpdatedRows } = await row.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** False if it isn't on the list. */
export async function removeAllowedProject(db: Db, project_id: number, allowed_project_id: number): Promise<boolean> {
  const row = db.deleteFrom('ci_job_token_projects').where('project_id', '=', project_id)
  return (await row.where('allowed_project_id', '=', allowed_project_id).executeTakeFirst()).numDeletedRows > 0n
}

/** False if it isn't on the list. */
export async function removeAllowedGroup(db: Db, project_id: number, allowed_namespace_id: number): Promise<boolean> {
  const row = db.deleteFrom('ci_job_token_groups').where('project_id', '=', project_id)
  return (await row.where('allowed_namespace_id', '=', allowed_namespace_id).executeTakeFirst()).numDeletedRows > 0n
}

/** Sets whether its lists are enforced. */
export async function setScope(db: Db, project_id: number, job_token_scope_enabled: boolean): Promise<void> {
  await db.updateTable('projects').set({ job_token_scope_enabled }).where('id', '=', project_id).execute()
}
