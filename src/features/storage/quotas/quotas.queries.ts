/** SQL for quotas: limits, and sizes of what is stored. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Project, StoredSize } from '../../../db/tables.ts'

export type Measured = Pick<Project, 'id' | 'namespace_id' | 'repository_size' | 'lfs_objects_size'>

export type LimitName = 'repository_size_limit' | 'storage_size_limit'

/** In MiB: null for the limit above, 0 for none. */
export type SizeLimits = { [Name in LimitName]?: number | null | undefined }

/** A namespace, with the limits that were set for it. */
export interface LimitedPlace {
  path: string
  parent_id: number | null
  repository_size_limit: number | null
  storage_size_limit: number | null
  /** Bytes of everything in it and below; 0 where nothing limits them. */
  used_bytes: number
}

/** The limits that may count for a namespace, or for a project in it. */
export interface LimitsThere {
  /** The namespace and all above it, the nearest first. */
  above: LimitedPlace[]
  /** The limit set for the project itself, if any. */
  own: Pick<LimitedPlace, 'path' | 'repository_size_limit'> | null
}

export async function measuredAt(db: Db, project_id: number): Promise<Measured | null> {
  const project = db.selectFrom('projects').select(['id', 'namespace_id', 'repository_size', 'lfs_objects_size'])
  return (await project.where('id', '=', project_id).executeTakeFirst()) ?? null
}

/** The settings that limit what is stored, and pushes. */
const limitSettings = ['repository_size_limit', 'namespace_storage_size_limit', 'receive_max_input_size'] as const

/** The settings that limit something, in MiB, and whether a project or a namespace has a limit of its own (1). */
export type AnyLimit = { [Name in (typeof limitSettings)[number] | 'size_limits']?: number }

const anyLimit = prepared((db: Db) =>
  db
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', 'in', limitSettings)
    .where('value', 'not in', ['0', 'null'])
    .unionAll(
      db.selectNoFrom([sql<string>`'size_limits'`.as('name'), sql<string>`'1'`.as('value')]).where(({ exists, selectFrom }) =>
        exists(
          selectFrom('size_limits')
            .select('id')
            .where((eb) => eb.or([eb('repository_size_limit', '>', 0), eb('storage_size_limit', '>', 0)])),
        ),
      ),
    ),
)

/** The limits that exist anywhere on the server: one statement. Null if there is none, so that most servers need no other. */
export async function anyLimitOn(db: Db): Promise<AnyLimit | null> {
  const rows = await anyLimit(db)
  return rows.length === 0 ? null : Object.fromEntries(rows.map(({ name, value }) => [name, Number(JSON.parse(value))]))
}

/** Bytes of a project that count for the storage of its namespaces. */
const storedBytes = sql`repository_size + wiki_size + snippets_size + lfs_objects_size
  + coalesce(job_artifacts_size, 0) + coalesce(packages_size, 0) + coalesce(uploads_size, 0)
  + coalesce(terraform_states_size, 0) + coalesce(secure_files_size, 0)`

/**
 * The namespace and all above it; for those with a storage limit, also the bytes in use. Compiled once, since each push runs it twice, and
 * building it would take longer than running it.
 */
const limitRows = prepared((db: Db, namespace_id: number, usual_mib: number, project_id: number) => {
  const own = db.selectFrom('size_limits').select('repository_size_limit').where('project_id', '=', project_id)
  const ownPath = db.selectFrom('routes').select('path').where('project_id', '=', project_id)
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .leftJoin('size_limits', 'size_limits.namespace_id', 'namespaces.id')
    .select(['routes.path', 'namespaces.parent_id', 'size_limits.repository_size_limit', 'size_limits.storage_size_limit'])
    .select(
      sql<number | null>`case when coalesce(storage_size_limit, case when parent_id is null then ${sql.val(usual_mib)} else 0 end) > 0
        then (select cast(sum(${storedBytes}) as bigint) from namespace_ancestors as below
          join projects on projects.namespace_id = below.namespace_id
          left join stored_sizes on stored_sizes.project_id = projects.id
          where below.ancestor_id = namespaces.id) end`.as('used_bytes'),
    )
    .select([own.as('own_limit'), ownPath.as('own_path')])
    .where('namespace_ancestors.namespace_id', '=', namespace_id)
    .orderBy(sql`length(routes.path)`, 'desc')
})

/** An id for queries without a project: no project has it. */
const noProject = 0

/**
 * One statement, which also adds up the storage of namespaces, but only of those that have a limit.
 * @param usual_mib the limit of namespaces at the top without their own; 0 for none
 */
export async function limitsAt(db: Db, namespace_id: number, usual_mib: number, project_id: number = noProject): Promise<LimitsThere> {
  const rows = await limitRows(db, namespace_id, usual_mib, project_id)
  const [{ own_path, own_limit } = { own_path: null, own_limit: null }] = rows
  return {
    above: rows.map(({ path, parent_id, repository_size_limit, storage_size_limit, used_bytes }) => ({
      ...{ path, parent_id, repository_size_limit, storage_size_limit },
      used_bytes: Number(used_bytes ?? 0),
    })),
    own: own_path === null ? null : { path: own_path, repository_size_limit: own_limit },
  }
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
    .select(sql<number>`cast(sum(${storedBytes}) as bigint)`.as('bytes'))
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
