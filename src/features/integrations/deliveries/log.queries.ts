/** SQL for the log of a webhook: what it was sent. */
import type { Db, PageOf } from '../../../db/database.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import type { HookDelivery } from '../../../db/tables.ts'

export interface LoggedDelivery extends HookDelivery {
  body: string | null
}

/** The newest first: three statements at most. A log may have millions of rows, so they are counted and passed over in an index alone. */
export async function listDeliveries(db: Db, hook_id: number, page: PageOf): Promise<{ rows: LoggedDelivery[]; total: number }> {
  const log = db.selectFrom('hook_deliveries').where('hook_id', '=', hook_id)
  const total = await totalOf(db, log)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => log.select('id').orderBy('id', directed('desc', isReversed))
  return { rows: await pageOfList(db, ids, { ...page, total }, deliveriesById), total }
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
    .where('hook_deliveries.id', 'in', ids)
    .execute()
}
