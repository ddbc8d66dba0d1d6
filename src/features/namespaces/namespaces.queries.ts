/** SQL for namespaces and their closure. */
import type { Updateable } from 'kysely'
import type { Db } from '../../db/database.ts'
import { capabilitiesOf } from '../../db/engine/capabilities.ts'
import { now } from '../../db/instants.ts'
import { among, prepared } from '../../db/prepared-queries.ts'
import type { Namespace, NamespaceTable, Visibility } from '../../db/tables.ts'
import { insertRoute } from './routes.queries.ts'

export interface NewNamespace {
  kind: 'user' | 'group'
  name: string
  path: string
  owner_id: number | null
  parent: { id: number; full_path: string } | null
  visibility: Visibility
  description: string
  lfs_enabled?: boolean
  request_access_enabled?: boolean
  require_two_factor_authentication?: boolean | undefined
  two_factor_grace_period?: number | undefined
}

/** Inserts the namespace, its closure rows and its route. Fails on the unique route if the path is taken. */
export async function insertNamespace(db: Db, input: NewNamespace): Promise<Namespace & { full_path: string }> {
  const at = now()
  const { parent, lfs_enabled = true, request_access_enabled = false, ...rest } = input
  const namespace = await db
    .insertInto('namespaces')
    .values({ ...rest, parent_id: parent?.id ?? null, lfs_enabled, request_access_enabled, created_at: at, updated_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
  const full_path = parent ? `${parent.full_path}/${input.path}` : input.path
  await insertRoute(db, full_path, { namespace_id: namespace.id })
  await db.insertInto('namespace_ancestors').values({ namespace_id: namespace.id, ancestor_id: namespace.id }).execute()
  if (parent) {
    await db
      .insertInto('namespace_ancestors')
      .columns(['namespace_id', 'ancestor_id'])
      .expression((eb) =>
        eb
          .selectFrom('namespace_ancestors')
          .select([eb.lit(namespace.id).as('namespace_id'), 'ancestor_id'])
          .where('namespace_id', '=', parent.id),
      )
      .execute()
  }
  return { ...namespace, full_path }
}

export async function updateNamespace(db: Db, id: number, change: Updateable<NamespaceTable>): Promise<void> {
  await db.updateTable('namespaces').set(change).where('id', '=', id).execute()
}

/** A namespace of a user or a group, by id, by full path or by the owner of a personal one. */
export async function findNamespace(
  db: Db,
  by: { id: number } | { path: string } | { owner_id: number },
): Promise<(Namespace & { full_path: string }) | null> {
  const query = db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .select('routes.path as full_path')
  const found = query.where((eb) => {
    if ('id' in by) return eb('namespaces.id', '=', by.id)
    return 'path' in by ? eb('routes.path_key', '=', by.path.toLowerCase()) : eb('namespaces.owner_id', '=', by.owner_id)
  })
  return (await found.executeTakeFirst()) ?? null
}

/**
 * Locks the namespaces until the transaction ends, so that nobody else changes their content, moves them or adds to them. It locks the
 * top-level namespaces above them, since a path contains the names of all levels. Callers that need several must lock them together.
 */
export async function lockNamespaces(db: Db, ids: number[]): Promise<void> {
  if (ids.length === 0 || !capabilitiesOf(db).locksRows) return
  const tops = db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', 'in', ids))
    .orderBy('id')
    .forNoKeyUpdate()
  // A namespace may have been moved to another tree while this waited for a lock: repeats until nothing has changed.
  for (let held: string | null = null; ; ) {
    const locked: string = (await tops.execute()).map(({ id }) => id).join()
    if (locked === held) return
    held = locked
  }
}

/** As `lockNamespaces`, for one namespace. */
export function lockNamespace(db: Db, id: number): Promise<void> {
  return lockNamespaces(db, [id])
}

/** Locks the namespace until the transaction ends; null if it was deleted meanwhile. */
export async function findLockedNamespace(db: Db, id: number): Promise<(Namespace & { full_path: string }) | null> {
  await lockNamespace(db, id)
  return findNamespace(db, { id })
}

const namesAbove = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespace_ancestors.namespace_id', 'namespaces.name', 'routes.path'])
    .where(among(db, 'namespace_ancestors.namespace_id', ids)),
)

/** The full name of each namespace, from the top: `Group / Subgroup`. One statement. */
export async function fullNamesOf(db: Db, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await namesAbove(db, [...new Set(ids)])
  const depth = (path: string) => path.split('/').length
  const names = new Map<number, string>()
  for (const { namespace_id, name } of [...rows].sort((a, b) => depth(a.path) - depth(b.path))) {
    const above = names.get(namespace_id)
    names.set(namespace_id, above ? `${above} / ${name}` : name)
  }
  return names
}

/**
 * Moves the group below another one, or to the top level, with everything below it. Part of a transaction that has locked both;
 * `moveRoutes` moves its routes.
 */
export async function moveNamespace(db: Db, id: number, parentId: number | null): Promise<void> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
  await db.deleteFrom('namespace_ancestors').where('namespace_id', 'in', below).where('ancestor_id', 'not in', below).execute()
  await updateNamespace(db, id, { parent_id: parentId, updated_at: now() })
  if (parentId === null) return
  await db
    .insertInto('namespace_ancestors')
    .columns(['namespace_id', 'ancestor_id'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_ancestors as within')
        .innerJoin('namespace_ancestors as above', (join) => join.on('above.namespace_id', '=', parentId))
        .select(['within.namespace_id', 'above.ancestor_id'])
        .where('within.ancestor_id', '=', id),
    )
    .execute()
}

/** Whether the namespace is the other one, or an ancestor of it. */
export async function standsAbove(db: Db, id: number, namespaceId: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors')
    .select('ancestor_id')
    .where('namespace_id', '=', namespaceId)
    .where('ancestor_id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

/** The number of levels from a namespace down to the deepest one below it: 1 if there is none. */
export async function levelsBelow(db: Db, id: number): Promise<number> {
  const depths = db
    .selectFrom('namespace_ancestors as within')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'within.namespace_id')
    // Only groups above them that are not above the namespace itself.
    .where('above.ancestor_id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id))
    .where('within.ancestor_id', '=', id)
    .select((eb) => ['within.namespace_id', eb.fn.countAll<number>().as('depth')])
    .groupBy('within.namespace_id')
  const { deepest } = await db
    .selectFrom(depths.as('depths'))
    .select((eb) => eb.fn.max('depths.depth').as('deepest'))
    .executeTakeFirstOrThrow()
  return Number(deepest)
}
