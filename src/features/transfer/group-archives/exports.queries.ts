/** SQL for the state of group exports, and the location of their archives. */
import type { Selectable } from 'kysely'
import { type Db, lockedRows } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { GroupExportTable } from '../../../db/tables.ts'

export type GroupExport = Selectable<GroupExportTable>

export async function findGroupExport(db: Db, group_id: number): Promise<GroupExport | null> {
  return (await exportOf(db, group_id).executeTakeFirst()) ?? null
}

/** As `findGroupExport`, and locks it until the transaction ends. */
export async function lockGroupExport(tx: Db, group_id: number): Promise<GroupExport | null> {
  return (await lockedRows(tx, exportOf(tx, group_id)).executeTakeFirst()) ?? null
}

function exportOf(db: Db, group_id: number) {
  return db.selectFrom('group_exports').selectAll().where('namespace_id', '=', group_id)
}

/** The archive of the previous one is kept until the new one is stored. */
export async function queueGroupExport(db: Db, namespace_id: number, with_addresses: boolean): Promise<void> {
  const at = now()
  const queued = { state: 'queued' as const, with_addresses, attempts: 0, requested_at: at, updated_at: at }
  await db
    .insertInto('group_exports')
    .values({ namespace_id, store_key: null, size: null, ...queued })
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet(queued))
    .execute()
}

export async function updateGroupExport(db: Db, group_id: number, change: Partial<GroupExport>): Promise<void> {
  await db
    .updateTable('group_exports')
    .set({ ...change, updated_at: now() })
    .where('namespace_id', '=', group_id)
    .execute()
}

export async function deleteGroupExport(db: Db, group_id: number): Promise<void> {
  await db.deleteFrom('group_exports').where('namespace_id', '=', group_id).execute()
}

/** Groups whose export ended before the given time, successfully or not. */
export async function groupExportsEndedBefore(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('group_exports')
    .select('namespace_id')
    .where('state', '!=', 'queued')
    .where('updated_at', '<', before)
    .execute()
  return rows.map(({ namespace_id }) => namespace_id)
}

/** The archives of the group and of all below it. */
export async function archivesBelow(db: Db, group_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('group_exports')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_exports.namespace_id')
    .select('store_key')
    .where('namespace_ancestors.ancestor_id', '=', group_id)
    .execute()
  return rows.flatMap(({ store_key }) => store_key ?? [])
}
