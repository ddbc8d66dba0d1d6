/** SQL for large files and the projects that have them. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { LfsObject } from '../../../db/tables.ts'

const disabledAbove = prepared((db: Db, namespace_id: number) =>
  db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .select('namespaces.id')
    .where('namespace_ancestors.namespace_id', '=', namespace_id)
    .where('namespaces.lfs_enabled', '=', false),
)

/** Whether any of the groups from this one upwards has large files disabled. */
export async function isDisabledAbove(db: Db, namespace_id: number): Promise<boolean> {
  return (await disabledAbove(db, namespace_id)).length > 0
}

/** The given objects that the project has: one statement. */
export async function objectsOf(db: Db, project_id: number, oids: string[]): Promise<Map<string, LfsObject>> {
  if (oids.length === 0) return new Map()
  const rows = await db
    .selectFrom('lfs_links')
    .innerJoin('lfs_objects', 'lfs_objects.oid', 'lfs_links.oid')
    .selectAll('lfs_objects')
    .where('lfs_links.project_id', '=', project_id)
    .where('lfs_links.oid', 'in', oids)
    .execute()
  return new Map(rows.map((row) => [row.oid, row]))
}

/**
 * Inserts a row for the object, or protects the existing one from removal until the transaction ends. Returns the key under which the
 * object is stored.
 */
export async function keepObject(tx: Db, { oid, size, store_key }: { oid: string; size: number; store_key: string }): Promise<string> {
  const kept = await tx
    .insertInto('lfs_objects')
    .values({ oid, size, store_key, created_at: now(), orphaned_at: null })
    .onConflict((conflict) => conflict.column('oid').doUpdateSet({ orphaned_at: null }))
    .returning('store_key')
    .executeTakeFirstOrThrow()
  return kept.store_key
}

/** Links the object to the project and counts its bytes, unless it is already linked. */
export async function insertLink(tx: Db, project_id: number, { oid, size }: { oid: string; size: number }): Promise<void> {
  const { numInsertedOrUpdatedRows: made } = await tx
    .insertInto('lfs_links')
    .values({ project_id, oid, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!made) return
  await tx
    .updateTable('projects')
    .set((eb) => ({ lfs_objects_size: eb('lfs_objects_size', '+', size) }))
    .where('id', '=', project_id)
    .execute()
}

/** Links all objects of the project `from` to the project `to`, and counts them. */
export async function copyLinks(tx: Db, from: number, to: number): Promise<void> {
  await tx
    .insertInto('lfs_links')
    .columns(['project_id', 'oid', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('lfs_links')
        .select([eb.val(to).as('project_id'), 'oid', eb.val(now()).as('created_at')])
        .where('project_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const linked = tx.selectFrom('lfs_links').select('lfs_links.oid').where('lfs_links.project_id', '=', to)
  await tx.updateTable('lfs_objects').set({ orphaned_at: null }).where('orphaned_at', 'is not', null).where('oid', 'in', linked).execute()
  await tx
    .updateTable('projects')
    .set((eb) => ({
      lfs_objects_size: eb.fn.coalesce(
        eb
          .selectFrom('lfs_links')
          .innerJoin('lfs_objects', 'lfs_objects.oid', 'lfs_links.oid')
          .select((sizes) => sizes.fn.sum<number>('lfs_objects.size').as('bytes'))
          .where('lfs_links.project_id', '=', to),
        eb.val(0),
      ),
    }))
    .where('id', '=', to)
    .execute()
}

export interface ObjectUse {
  oid: string
  orphaned_at: string | null
  linked: boolean
}

/** The next objects in the order of their ids, with whether any project has them. */
export async function objectsAfter(db: Db, oid: string, limit: number): Promise<ObjectUse[]> {
  const rows = await db
    .selectFrom('lfs_objects')
    .select(['oid', 'orphaned_at'])
    .select((eb) =>
      eb
        .selectFrom('lfs_links')
        .select((links) => links.fn.countAll<number>().as('count'))
        .whereRef('lfs_links.oid', '=', 'lfs_objects.oid')
        .as('links'),
    )
    .where('oid', '>', oid)
    .orderBy('oid')
    .limit(limit)
    .execute()
  return rows.map(({ oid, orphaned_at, links }) => ({ oid, orphaned_at, linked: (links ?? 0) > 0 }))
}

/** Sets since when no project has the object; null if one has. */
export async function setOrphaned(db: Db, oid: string, orphaned_at: string | null): Promise<void> {
  await db.updateTable('lfs_objects').set({ orphaned_at }).where('oid', '=', oid).execute()
}

/**
 * Deletes the row of an object that has been an orphan since before `before`, and returns its key; null if it is no longer an orphan. Waits
 * for a transaction that is linking the object, and then sees that the mark is cleared (`keepObject`).
 */
export async function removeOrphan(tx: Db, oid: string, before: string): Promise<string | null> {
  const deleted = await tx
    .deleteFrom('lfs_objects')
    .where('oid', '=', oid)
    .where('orphaned_at', '<=', before)
    .where((eb) => eb.not(eb.exists(eb.selectFrom('lfs_links').select('lfs_links.oid').whereRef('lfs_links.oid', '=', 'lfs_objects.oid'))))
    .returning('store_key')
    .executeTakeFirst()
  return deleted?.store_key ?? null
}
