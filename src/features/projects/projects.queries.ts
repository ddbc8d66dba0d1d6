/** SQL for one project: making, changing and removing it. */
import type { Insertable, Updateable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../access/find.ts'
import { type Db, lockedRows } from '../../db/database.ts'
import type { Project, ProjectTable, Visibility } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'

export function insertProject(db: Db, row: Insertable<ProjectTable>): Promise<Project> {
  return db.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function countPush(db: Db, id: number): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({ push_count: eb('push_count', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function updateProject(db: Db, id: number, change: Updateable<ProjectTable>): Promise<void> {
  await db.updateTable('projects').set(change).where('id', '=', id).execute()
}

/** Until the transaction ends nobody else changes the project, or what is counted for it. */
export async function lockProject(db: Db, id: number): Promise<void> {
  await db.updateTable('projects').set({ id }).where('id', '=', id).execute()
}

/** As `lockNamespace` does for one: the tops of the trees they stand in, which whoever needs several takes in one order. */
export async function lockNamespaces(db: Db, ids: number[]): Promise<void> {
  const tops = db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', 'in', ids))
    .orderBy('id')
  await lockedRows(db, tops).execute()
}

/** Throws 404 when it has gone meanwhile. */
export function locateProject(db: Db, id: number): Promise<LocatedProject> {
  return locatedProjects(db)
    .where('projects.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Project'))
}

export async function visibilityOf(db: Db, id: number): Promise<{ visibility: Visibility } | null> {
  return (await db.selectFrom('projects').select('visibility').where('id', '=', id).executeTakeFirst()) ?? null
}

/** Makes those forks of the projects as open as `visibility` that are more so, and gives back which. */
export async function narrowForksOf(db: Db, sources: number[], wider: Visibility[], visibility: Visibility): Promise<number[]> {
  const narrowed = await db
    .updateTable('projects')
    .set({ visibility })
    .where('forked_from_id', 'in', sources)
    .where('visibility', 'in', wider)
    .returning('id')
    .execute()
  return narrowed.map(({ id }) => id)
}

/** Every key of the objects store that nothing but this project refers to. */
export async function storedKeysOf(db: Db, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('uploads')
    .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
    .where('project_id', '=', id)
    .unionAll(db.selectFrom('project_exports').select('store_key as key').where('project_id', '=', id))
    .unionAll(
      db
        .selectFrom('project_imports')
        .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
        .where('project_id', '=', id),
    )
    .unionAll(db.selectFrom('projects').select('avatar_key as key').where('id', '=', id))
    .execute()
  return rows.flatMap(({ key }) => key ?? [])
}

/** False where the user had starred it already. */
export async function insertStar(db: Db, projectId: number, userId: number, at: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('project_stars')
    .values({ project_id: projectId, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False where the user had not starred it. */
export async function deleteStar(db: Db, projectId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_stars')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function addStars(db: Db, projectId: number, count: 1 | -1): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '+', count) }))
    .where('id', '=', projectId)
    .execute()
}

/** Takes away every star of a user who is going. */
export async function deleteStarsOf(db: Db, userId: number): Promise<void> {
  const starred = await db.deleteFrom('project_stars').where('user_id', '=', userId).returning('project_id').execute()
  if (starred.length === 0) return
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where(
      'id',
      'in',
      starred.map(({ project_id }) => project_id),
    )
    .execute()
}

export async function projectExists(db: Db, id: number): Promise<boolean> {
  return (await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Gives what it was a fork of; null where it was none, or is gone already. */
export async function deleteProject(db: Db, id: number): Promise<number | null> {
  const gone = await db.deleteFrom('projects').where('id', '=', id).returning('forked_from_id').executeTakeFirst()
  return gone?.forked_from_id ?? null
}

export async function countProjectsOf(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function isNameTaken(db: Db, namespaceId: number, name: string, besides: number | null): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst()
  return found !== undefined && found.id !== besides
}

export async function isRouteTaken(db: Db, path: string, besides: number | null): Promise<boolean> {
  const found = await db.selectFrom('routes').select('project_id').where('path_key', '=', path.toLowerCase()).executeTakeFirst()
  return found !== undefined && (besides === null || found.project_id !== besides)
}
