/** SQL for the keys of unreferenced objects. */
import type { Db } from '../../../db/database.ts'

/** Rows per statement: the database engines limit the number of values. */
const maxRows = 1_000

/** They may be removed after this many milliseconds; the last call for a key counts. */
export async function addUnreferenced(db: Db, keys: string[], delay_ms: number): Promise<void> {
  const remove_after = fromNow(delay_ms)
  const rows = [...new Set(keys)].map((key) => ({ key, remove_after }))
  for (let at = 0; at < rows.length; at += maxRows) {
    await db
      .insertInto('unreferenced_objects')
      .values(rows.slice(at, at + maxRows))
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ remove_after }))
      .execute()
  }
}

/** More than the clocks of two processes may differ by. */
const leeway_ms = 60_000

/** Postpones the removal. False if it is due, or nearly so: then it can't be stopped. */
export async function putOffRemoval(db: Db, key: string, delay_ms: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('unreferenced_objects')
    .set({ remove_after: fromNow(delay_ms) })
    .where('key', '=', key)
    .where('remove_after', '>', fromNow(leeway_ms))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the row if the removal isn't due yet. False if it is due, or nearly so: the object may be being removed already. */
export async function takeUnreferenced(db: Db, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('unreferenced_objects')
    .where('key', '=', key)
    .where('remove_after', '>', fromNow(leeway_ms))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the row of an object that is gone. */
export async function forgetUnreferenced(db: Db, key: string): Promise<void> {
  await db.deleteFrom('unreferenced_objects').where('key', '=', key).execute()
}

/** Ordered by key, starting after `after`. */
export async function dueForRemoval(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('unreferenced_objects')
    .select('key')
    .where('key', '>', after)
    .where('remove_after', '<=', fromNow(0))
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ key }) => key)
}

function fromNow(delay_ms: number): string {
  return new Date(Date.now() + delay_ms).toISOString()
}
