/** SQL for claims of hooks: one process sends to a hook at a time, so that its deliveries stay in order. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Hook } from '../../../db/tables.ts'

/** Hooks with pending deliveries that aren't paused, claimed for this process: nobody else sends to them until then. */
export function claimHooks(db: Db, sender: string, until: Date, limit: number): Promise<Hook[]> {
  const at = now()
  const due = db
    .selectFrom('hooks as candidates')
    .select('candidates.id')
    .where((eb) => eb.or([eb('candidates.sending_until', 'is', null), eb('candidates.sending_until', '<', at)]))
    .where((eb) => eb.or([eb('candidates.rests_until', 'is', null), eb('candidates.rests_until', '<=', at)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('hook_deliveries')
          .select('hook_deliveries.id')
          .whereRef('hook_deliveries.hook_id', '=', 'candidates.id')
          .where('hook_deliveries.state', '=', sql.lit('waiting' as const)),
      ),
    )
    .orderBy('candidates.sending_until', (order) => order.asc().nullsFirst())
    .orderBy('candidates.id')
    .limit(limit)
  return (
    db
      .updateTable('hooks')
      .set({ sender, sending_until: until.toISOString() })
      .where('id', 'in', due)
      // If two processes find the same hook, the second sees what the first has written.
      .where((eb) => eb.or([eb('sending_until', 'is', null), eb('sending_until', '<', at)]))
      .returningAll()
      .execute()
  )
}

/** Processes that have claimed hooks. */
export async function sendersOfHooks(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('hooks').select('sender').distinct().where('sender', 'is not', null).execute()
  return rows.flatMap(({ sender }) => sender ?? [])
}

/** Releases the claims of these processes at once. */
export async function releaseHooksOf(db: Db, senders: readonly string[]): Promise<void> {
  if (senders.length === 0) return
  await db.updateTable('hooks').set({ sender: null, sending_until: null }).where('sender', 'in', senders).execute()
}

/** Does nothing if another process has claimed it. */
export async function renewClaim(tx: Tx, id: number, sender: string, until: Date): Promise<void> {
  const renewed = tx.updateTable('hooks').set({ sending_until: until.toISOString() })
  await renewed.where('id', '=', id).where('sender', '=', sender).execute()
}

/** @param until nobody may claim it before; null: at once */
export async function releaseHook(tx: Tx, id: number, sender: string, until: Date | null): Promise<void> {
  const released = tx.updateTable('hooks').set({ sender: null, sending_until: until?.toISOString() ?? null })
  await released.where('id', '=', id).where('sender', '=', sender).execute()
}
