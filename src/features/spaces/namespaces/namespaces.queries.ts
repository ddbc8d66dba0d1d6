/** SQL for namespaces and their closure. */
import type { Updateable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Namespace, NamespaceTable, Visibility } from '../../../db/tables.ts'
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
}

/** Inserts the namespace, its place below its parent, and its route. Fails on the unique route when the path is taken. */
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

/** Any namespace, of a user or a group, by id, by full path or by the user whose own it is. */
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
 * Until the transaction ends nobody else changes what belongs to the namespace, moves it or puts anything there: what is locked
 * is the top of the tree it stands in, since a path is made of all that is above.
 */
export async function lockNamespace(db: Db, id: number): Promise<void> {
  await db
    .updateTable('namespaces')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('parent_id', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', id))
    .execute()
}

/** Locks the namespace until the transaction ends; null when it was deleted meanwhile. */
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

/** The names from the top down to each of the namespaces: `Group / Subgroup`. One statement. */
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
