/** SQL for the log of a webhook: what it was sent. */
import { sql } from 'kysely'
import type { Db, PageOf } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { HookDelivery } from '../../../db/tables.ts'

export interface LoggedDelivery extends HookDelivery {
  body: string | null
}

/** Ids of one block of `hook_delivery_counts`, as migration 0082 counts them. */
const idsOfBlock = 4_096

/**
 * The newest first: four statements at most. A log may have millions of rows: counts by blocks of ids tell how many there are, and in which
 * block a page begins.
 */
export async function listDeliveries(db: Db, hook_id: number, page: PageOf): Promise<{ rows: LoggedDelivery[]; total: number }> {
  const total = await totalOf(db, hook_id)
  if (total <= page.offset || page.limit === 0) return { rows: [], total }
  const start = page.offset === 0 ? null : await blockAt(db, hook_id, page.offset)
  let ids = db.selectFrom('hook_deliveries').select('id').where('hook_id', '=', hook_id).orderBy('id', 'desc').limit(page.limit)
  if (start) ids = ids.where('id', '<', (start.block + 1) * idsOfBlock).offset(page.offset - start.before)
  const shown = (await ids.execute()).map(({ id }) => id)
  const rows = new Map((await deliveriesById(db, shown)).map((row) => [row.id, row]))
  return { rows: shown.flatMap((id) => rows.get(id) ?? []), total }
}

async function totalOf(db: Db, hook_id: number): Promise<number> {
  const counted = db.selectFrom('hook_delivery_counts').where('hook_id', '=', hook_id)
  const { total } = await counted.select(sql<number>`cast(coalesce(sum(number), 0) as bigint)`.as('total')).executeTakeFirstOrThrow()
  return total
}

/** The block with the delivery at an offset from the newest, and the number of newer deliveries in other blocks. */
async function blockAt(db: Db, hook_id: number, offset: number): Promise<{ block: number; before: number } | null> {
  const { rows } = await sql<{ block: number; before: number }>`
    select block, cast(upto - number as bigint) as before from (
      select block, sum(number) as number, sum(sum(number)) over (order by block desc) as upto
      from hook_delivery_counts where hook_id = ${hook_id} group by block
    ) as blocks
    where upto > ${offset} and upto - number <= ${offset}`.execute(db)
  return rows[0] ?? null
}

export async function deliveryOf(db: Db, hook_id: number, id: number): Promise<LoggedDelivery | null> {
  const [found] = await deliveriesById(db, [id])
  return found?.hook_id === hook_id ? found : null
}

function deliveriesById(db: Db, ids: number[]): Promise<LoggedDelivery[]> {
  return db
    .selectFrom('hook_deliveries')
    .innerJoin('hook_payloads', 'hook_payloads.id', 'hook_deliveries.payload_id')
    .selectAll('hook_deliveries')
    .select('hook_payloads.body')
    .where(among(db, 'hook_deliveries.id', ids))
    .execute()
}
