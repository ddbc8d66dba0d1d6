/** SQL for merge requests that are merged as parts of a stack. */
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { StackedMerge } from '../../../db/tables.ts'

/** Finds the entry of a merge request that waits for the one below it; null if it doesn't wait in a stack. */
export async function stackedMergeOf(db: Db, merge_request_id: number): Promise<StackedMerge | null> {
  const found = db.selectFrom('stacked_merges').selectAll().where('merge_request_id', '=', merge_request_id)
  return (await found.executeTakeFirst()) ?? null
}

/** It, if it waits, and those that wait for it. */
export function stackedMergesAt(db: Db, id: number): Promise<StackedMerge[]> {
  const found = db.selectFrom('stacked_merges').selectAll()
  return found
    .where((eb) => eb.or([eb('merge_request_id', '=', id), eb('below_id', '=', id)]))
    .orderBy('merge_request_id')
    .execute()
}

/** Merge requests of a project that are merged as parts of a stack, with this tip. */
export async function stackedMergesOfCommit(db: Db, project_id: number, oid: string): Promise<number[]> {
  const found = db
    .selectFrom('stacked_merges')
    .innerJoin('merge_requests', 'merge_requests.id', 'stacked_merges.merge_request_id')
    .select('merge_request_id')
    .where('project_id', '=', project_id)
    .where((eb) => eb.or([eb('stacked_merges.head_oid', '=', oid), eb('rebased_oid', '=', oid)]))
  return (await found.orderBy('merge_request_id').execute()).map(({ merge_request_id }) => merge_request_id)
}

/** Takes the place of an earlier one of the same merge request. */
export async function insertStackedMerge(tx: Tx, row: Omit<StackedMerge, 'rebased_oid' | 'created_at'>): Promise<void> {
  await deleteStackedMerge(tx, row.merge_request_id)
  await tx
    .insertInto('stacked_merges')
    .values({ ...row, created_at: now() })
    .execute()
}

/** False if it waited no longer. */
export async function deleteStackedMerge(tx: Tx, merge_request_id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('stacked_merges').where('merge_request_id', '=', merge_request_id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Its commits are still those that were to be merged, after a rebase that it made necessary. */
export async function acceptRebased(tx: Tx, merge_request_id: number, before: string, after: string): Promise<void> {
  await tx
    .updateTable('stacked_merges')
    .set({ rebased_oid: after })
    .where('merge_request_id', '=', merge_request_id)
    .where((eb) => eb.or([eb('head_oid', '=', before), eb('rebased_oid', '=', before)]))
    .execute()
}
