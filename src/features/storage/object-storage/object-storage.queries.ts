/** The keys in the objects store to which nothing refers. */
import type { Db } from '../../../db/database.ts'

/** So many rows go into one statement: no database takes any number of values. */
const maxRows = 1_000

/** From so many milliseconds on they may be removed; said twice, the last word counts. */
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

/** More than the clocks of two processes differ. */
const leeway_ms = 60_000

/** Puts the removal off, as long as its time has not come; false when it has, or nearly: then it is for good. */
export async function putOffRemoval(db: Db, key: string, delay_ms: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('unreferenced_objects')
    .set({ remove_after: fromNow(delay_ms) })
    .where('key', '=', key)
    .where('remove_after', '>', fromNow(leeway_ms))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Takes the key out before its time has come; false when it has, or nearly: then somebody may be removing it already. */
export async function takeUnreferenced(db: Db, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('unreferenced_objects')
    .where('key', '=', key)
    .where('remove_after', '>', fromNow(leeway_ms))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The object is gone. */
export async function forgetUnreferenced(db: Db, key: string): Promise<void> {
  await db.deleteFrom('unreferenced_objects').where('key', '=', key).execute()
}

/** In the order of the keys, those that follow `after`. */
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
