/**
 * SQL for the paths of namespaces and projects, and for former paths of projects. Git, large files and links to uploads find a project by
 * former paths (`redirects`, one row per project and move); the API answers 404, since a script that writes to another project than it
 * names is worse than one that fails. Redirects of namespaces, resolved part by part, would find the wrong project after it left its group.
 */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Db, lastingRows } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

/** The caller must have locked the namespace above, whose path could change otherwise. Fails on the unique route if the path is taken. */
export async function insertRoute(db: Db, path: string, target: { namespace_id: number } | { project_id: number }): Promise<void> {
  await db
    .insertInto('routes')
    .values({ path_key: path.toLowerCase(), path, namespace_id: null, project_id: null, ...target })
    .execute()
  await forgetRedirects(db, path)
}

/** Changes the project's path. The caller must have locked it. Fails on the unique route if the path is taken. */
export async function moveProjectRoute(db: Db, projectId: number, path: string): Promise<void> {
  const ofProject = (eb: Routes) => eb('routes.project_id', '=', projectId)
  await leaveRedirects(db, ofProject)
  await db.updateTable('routes').set({ path, path_key: path.toLowerCase() }).where(ofProject).execute()
  await forgetRedirects(db, path)
}

/**
 * Changes the namespace's path, and the paths of everything below. The caller must have locked the namespace. Fails on the unique route if
 * the path is taken.
 */
export async function moveRoutes(db: Db, { id, full_path }: { id: number; full_path: string }, path: string): Promise<void> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
  const rest = sql.lit(full_path.length + 1)
  const old = full_path.toLowerCase()
  const ofNamespace = (eb: Routes) =>
    eb.and([
      // A project that is concurrently being moved away has another path already, even if it is still below.
      eb.or([eb('routes.path_key', '=', old), eb(sql`substr(routes.path_key, 1, ${rest})`, '=', `${old}/`)]),
      eb.or([
        eb('routes.namespace_id', 'in', below),
        eb('routes.project_id', 'in', eb.selectFrom('projects').select('projects.id').where('projects.namespace_id', 'in', below)),
      ]),
    ])
  await leaveRedirects(db, ofNamespace)
  await db
    .updateTable('routes')
    .set({ path: sql<string>`${path} || substr(path, ${rest})`, path_key: sql<string>`${path.toLowerCase()} || substr(path_key, ${rest})` })
    .where(ofNamespace)
    .execute()
  await forgetRedirects(db, path)
}

/** The length of the longest path of a namespace and everything below it. */
export async function longestPathIn(db: Db, { full_path }: { full_path: string }): Promise<number> {
  const { length } = await db
    .selectFrom('routes')
    .select(sql<number | null>`max(length(path_key))`.as('length'))
    .where(sql`substr(path_key, 1, ${sql.lit(full_path.length + 1)})`, 'in', [full_path.toLowerCase(), `${full_path.toLowerCase()}/`])
    .executeTakeFirstOrThrow()
  return length ?? 0
}

/** For a query over `routes`, possibly joined with others. */
type Routes = ExpressionBuilder<Tables, 'routes'>

/** Keeps the present paths of these projects as redirects, before they are changed. */
async function leaveRedirects(db: Db, which: (eb: Routes) => Expression<SqlBool>): Promise<void> {
  const moving = db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .select(['routes.path_key', 'projects.id as project_id'])
    .where(which)
  await db
    .insertInto('redirects')
    .columns(['path_key', 'project_id'])
    // A project that is concurrently being deleted gets no redirect.
    .expression(lastingRows(db, moving, 'projects'))
    .onConflict((conflict) => conflict.column('path_key').doUpdateSet((eb) => ({ project_id: eb.ref('excluded.project_id') })))
    .execute()
}

/** Whether the path is a former path of a project. */
export async function isRedirect(db: Db, path: string): Promise<boolean> {
  return (await db.selectFrom('redirects').select('path_key').where('path_key', '=', path.toLowerCase()).executeTakeFirst()) !== undefined
}

/** Deletes redirects at and below the path, because something new is there. */
async function forgetRedirects(db: Db, path: string): Promise<void> {
  const key = path.toLowerCase()
  // All paths that begin with `a/` sort from that up to `a0`: `0` is the character after the slash.
  await db
    .deleteFrom('redirects')
    .where((eb) => eb.or([eb('path_key', '=', key), eb.and([eb('path_key', '>', `${key}/`), eb('path_key', '<', `${key}0`)])]))
    .execute()
}
