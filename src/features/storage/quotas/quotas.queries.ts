/** SQL for quotas: limits, and sizes of what is stored. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Project, StoredSize } from '../../../db/tables.ts'

export type Measured = Pick<Project, 'id' | 'namespace_id' | 'repository_size' | 'lfs_objects_size'>

export type LimitName = 'repository_size_limit' | 'storage_size_limit'

/** In MiB: null for the limit above, 0 for none. */
export type SizeLimits = { [Name in LimitName]?: number | null | undefined }

export interface LimitedPlace {
  id: number
  path: string
  parent_id: number | null
  repository_size_limit: number | null
  storage_size_limit: number | null
}

export async function measuredAt(db: Db, project_id: number): Promise<Measured | null> {
  const project = db.selectFrom('projects').select(['id', 'namespace_id', 'repository_size', 'lfs_objects_size'])
  return (await project.where('id', '=', project_id).executeTakeFirst()) ?? null
}

/** The settings that limit what is stored, and pushes. */
const limitSettings = ['repository_size_limit', 'namespace_storage_size_limit', 'receive_max_input_size']

const anyLimit = prepared((db: Db) =>
  db
    .selectFrom('settings')
    .select('name')
    .where('name', 'in', limitSettings)
    .where('value', 'not in', ['0', 'null'])
    .unionAll(
      db
        .selectFrom('size_limits')
        .select(sql<string>`'size_limits'`.as('name'))
        .where((eb) => eb.or([eb('repository_size_limit', '>', 0), eb('storage_size_limit', '>', 0)])),
    )
    .limit(1),
)

/** Whether anything on the server is limited: one statement, where looking for the limits of a project takes three. */
export async function isAnythingLimited(db: Db): Promise<boolean> {
  return (await anyLimit(db)).length > 0
}

/** The limits of a namespace and of all above it, the nearest first. */
export function limitsAbove(db: Db, namespace_id: number): Promise<LimitedPlace[]> {
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .leftJoin('size_limits', 'size_limits.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.path', 'namespaces.parent_id'])
    .select(['size_limits.repository_size_limit', 'size_limits.storage_size_limit'])
    .where('namespace_ancestors.namespace_id', '=', namespace_id)
    .orderBy(sql`length(routes.path)`, 'desc')
    .execute()
}

/** The project's own limit of its repository. */
export async function sizeLimitOf(db: Db, project_id: number): Promise<number | null> {
  const row = await db.selectFrom('size_limits').select('repository_size_limit').where('project_id', '=', project_id).executeTakeFirst()
  return row?.repository_size_limit ?? null
}

type LimitedThing = { project_id: number } | { namespace_id: number }

/** The limits of the thing itself. */
export async function limitsOf(db: Db, place: LimitedThing): Promise<Record<LimitName, number | null>> {
  const found = await db
    .selectFrom('size_limits')
    .select(['repository_size_limit', 'storage_size_limit'])
    .where((eb) => ('project_id' in place ? eb('project_id', '=', place.project_id) : eb('namespace_id', '=', place.namespace_id)))
    .executeTakeFirst()
  return found ?? { repository_size_limit: null, storage_size_limit: null }
}

/** Sets the given limits, and keeps the others. */
export async function setLimits(db: Db, place: LimitedThing, limits: SizeLimits): Promise<void> {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return
  const at = { project_id: null, namespace_id: null, ...place }
  const key = 'project_id' in place ? 'project_id' : 'namespace_id'
  await db
    .insertInto('size_limits')
    .values({ repository_size_limit: null, storage_size_limit: null, ...at, ...given })
    .onConflict((conflict) => conflict.column(key).doUpdateSet(given))
    .execute()
}

/** Bytes of everything in each of these namespaces and below: one statement. */
export async function usageOf(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
    .leftJoin('stored_sizes', 'stored_sizes.project_id', 'projects.id')
    .select('namespace_ancestors.ancestor_id as id')
    .select(
      sql<number>`cast(sum(repository_size + wiki_size + snippets_size + lfs_objects_size
        + coalesce(job_artifacts_size, 0) + coalesce(packages_size, 0) + coalesce(uploads_size, 0)) as bigint)`.as('bytes'),
    )
    .where('namespace_ancestors.ancestor_id', 'in', ids)
    .groupBy('namespace_ancestors.ancestor_id')
    .execute()
  return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]))
}

/** The sizes of stored files of these projects, for each that has some. */
export async function storedSizes(db: Db, ids: readonly number[]): Promise<Map<number, StoredSize>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('stored_sizes').selectAll().where('project_id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.project_id, row]))
}
