/** SQL for the context commits of merge requests. */
import { type Db, type Found, type PageOf, paginate, type Tx } from '../../../db/database.ts'

/** In the order in which they were added. */
export async function contextOf(db: Db, merge_request_id: number, page: PageOf): Promise<Found<string>> {
  const all = db.selectFrom('context_commits').select('oid').where('merge_request_id', '=', merge_request_id).orderBy('id')
  const { rows, total } = await paginate(all, page)
  return { rows: rows.map(({ oid }) => oid), total }
}

export async function countContext(db: Db, merge_request_id: number): Promise<number> {
  const count = db.selectFrom('context_commits').select((eb) => eb.fn.countAll<number>().as('number'))
  return Number((await count.where('merge_request_id', '=', merge_request_id).executeTakeFirstOrThrow()).number)
}

/** Ignores commits that were added before, so that they keep their place. */
export async function addToContext(tx: Tx, merge_request_id: number, oids: readonly string[]): Promise<void> {
  await tx
    .insertInto('context_commits')
    .values(oids.map((oid) => ({ merge_request_id, oid })))
    .onConflict((conflict) => conflict.columns(['merge_request_id', 'oid']).doNothing())
    .execute()
}

export async function removeFromContext(db: Db, merge_request_id: number, oids: readonly string[]): Promise<void> {
  await db.deleteFrom('context_commits').where('merge_request_id', '=', merge_request_id).where('oid', 'in', oids).execute()
}
