/** SQL for one project: creating, changing and removing it. */
import type { Insertable, Updateable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Instant, Project, ProjectTable, Visibility } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'

export function insertProject(db: Db, row: Insertable<ProjectTable>): Promise<Project> {
  return db.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Stores what a push found: the first default branch unless there is one already, and the README if the push looked at that branch. */
export async function updateAfterPush(
  db: Db,
  id: number,
  { default_branch, readme_path, at }: { default_branch: string | null; readme_path: string | null; at: Instant },
): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({
      default_branch: eb.fn.coalesce('default_branch', eb.val(default_branch)),
      readme_path: eb
        .case()
        .when(eb.or([eb('default_branch', 'is', null), eb('default_branch', '=', default_branch)]))
        .then(readme_path)
        .else(eb.ref('readme_path'))
        .end(),
      push_count: eb('push_count', '+', 1),
      last_activity_at: at,
      updated_at: at,
    }))
    .where('id', '=', id)
    .execute()
}

/** Null if there is none, or no such project. */
export async function defaultBranchOf(db: Db, id: number): Promise<string | null> {
  const found = await db.selectFrom('projects').select('default_branch').where('id', '=', id).executeTakeFirst()
  return found?.default_branch ?? null
}

/** False if the default branch has changed. */
export async function noteReadme(db: Db, id: number, default_branch: string, readme_path: string | null): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('projects')
    .set({ readme_path })
    .where('id', '=', id)
    .where('default_branch', '=', default_branch)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function updateProject(db: Db, id: number, change: Updateable<ProjectTable>): Promise<void> {
  await db.updateTable('projects').set(change).where('id', '=', id).execute()
}

/** Locks the project, its members and its counts until the transaction ends. */
export async function lockProject(db: Db, id: number): Promise<void> {
  await db.updateTable('projects').set({ id }).where('id', '=', id).execute()
}

/** Throws 404 if it has been deleted. */
export function locateProject(db: Db, id: number): Promise<LocatedProject> {
  return locatedProjects(db)
    .where('projects.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Project'))
}

/** The project that this one is a fork of; null if it isn't a fork. */
export async function sourceOf(db: Db, id: number): Promise<{ visibility: Visibility } | null> {
  const found = await db
    .selectFrom('projects')
    .innerJoin('projects as sources', 'sources.id', 'projects.forked_from_id')
    .select('sources.visibility')
    .where('projects.id', '=', id)
    .executeTakeFirst()
  return found ?? null
}

/**
 * Sets this visibility on those of the projects that have one of `wider`; returns their ids and earlier visibilities. Requires a lock on
 * them.
 */
export async function narrowAll(
  db: Db,
  ids: number[],
  wider: Visibility[],
  visibility: Visibility,
): Promise<Array<{ id: number; before: Visibility }>> {
  const found = await db
    .selectFrom('projects')
    .select(['id', 'visibility as before'])
    .where('visibility', 'in', wider)
    .where(among(db, 'id', ids))
    .execute()
  await db
    .updateTable('projects')
    .set({ visibility })
    .where('visibility', 'in', wider)
    .where(among(db, 'id', ids))
    .execute()
  return found
}

/** Limits the visibility of the forks of a project, and of their forks, to `visibility`; returns their ids. */
export async function narrowForksOf(db: Db, id: number, wider: Visibility[], visibility: Visibility): Promise<number[]> {
  const narrowed = await db
    .withRecursive('made_of_it', (cte) => {
      const direct = cte.selectFrom('projects').select('id').where('forked_from_id', '=', id)
      const theirs = cte.selectFrom('projects').innerJoin('made_of_it', 'made_of_it.id', 'projects.forked_from_id').select('projects.id')
      return direct.union(theirs)
    })
    .updateTable('projects')
    .set({ visibility })
    .where('visibility', 'in', wider)
    .where('id', 'in', (eb) => eb.selectFrom('made_of_it').select('made_of_it.id'))
    .returning('id')
    .execute()
  return narrowed.map((fork) => fork.id)
}

/** Every key of the object store that only these projects refer to. */
export async function storedKeysOf(db: Db, ids: number[]): Promise<string[]> {
  const rows = await db
    .selectFrom('uploads')
    .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
    .where('project_id', 'in', ids)
    .unionAll(db.selectFrom('project_exports').select('store_key as key').where('project_id', 'in', ids))
    .unionAll(
      db
        .selectFrom('project_imports')
        .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
        .where('project_id', 'in', ids),
    )
    .unionAll(db.selectFrom('projects').select('avatar_key as key').where('id', 'in', ids))
    .unionAll(
      db
        .selectFrom('ci_artifacts')
        .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
        .where('project_id', 'in', ids),
    )
    .unionAll(
      db
        .selectFrom('ci_traces')
        .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_traces.job_id')
        .select('ci_traces.store_key as key')
        .where('ci_jobs.project_id', 'in', ids),
    )
    .unionAll(
      db
        .selectFrom('package_files')
        .innerJoin('packages', 'packages.id', 'package_files.package_id')
        .select((eb) => eb.ref('package_files.store_key').$castTo<string | null>().as('key'))
        .where('packages.project_id', 'in', ids),
    )
    .unionAll(
      db
        .selectFrom('terraform_versions')
        .innerJoin('terraform_states', 'terraform_states.id', 'terraform_versions.state_id')
        .select((eb) => eb.ref('terraform_versions.store_key').$castTo<string | null>().as('key'))
        .where('terraform_states.project_id', 'in', ids),
    )
    .unionAll(
      db
        .selectFrom('secure_files')
        .select((eb) => eb.ref('store_key').$castTo<string | null>().as('key'))
        .where('project_id', 'in', ids),
    )
    .execute()
  return rows.flatMap(({ key }) => key ?? [])
}

export async function projectExists(db: Db, id: number): Promise<boolean> {
  return (await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Projects with smaller ids, in descending order. */
export function projectsBefore(db: Db, id: number, limit: number): Promise<Array<Pick<Project, 'id' | 'default_branch'>>> {
  return db.selectFrom('projects').select(['id', 'default_branch']).where('id', '<', id).orderBy('id', 'desc').limit(limit).execute()
}

/** Returns the ids of the projects they were forks of. */
export async function deleteProjects(db: Db, ids: number[]): Promise<Set<number>> {
  const deleted = await db.deleteFrom('projects').where('id', 'in', ids).returning('forked_from_id').execute()
  return new Set(deleted.flatMap(({ forked_from_id }) => forked_from_id ?? []))
}

export async function moveProjects(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute()
}
