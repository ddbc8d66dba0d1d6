/** SQL for the runs of both kinds of mirrors: exclusive, with their outcomes. */
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { PullMirror, PushMirror } from '../../../db/tables.ts'

export type MirrorTable = 'push_mirrors' | 'pull_mirrors'

/** Columns of both tables. */
type Change = Partial<Omit<PushMirror & PullMirror, 'id' | 'created_at'>>

/** Both tables have these columns. */
const updating = (db: Db, table: MirrorTable) => db.updateTable(table as 'push_mirrors')

/** Starts a run; false if another one is under way, or the mirror is gone. */
export async function claimRun(db: Db, table: MirrorTable, id: number, runner: string, until: Date): Promise<boolean> {
  const at = now()
  const { numUpdatedRows } = await updating(db, table)
    .set({ runner, running_until: until.toISOString(), update_status: 'started', last_update_started_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('running_until', 'is', null), eb('running_until', '<', at)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if another run has taken over, or the mirror was removed, disabled or changed. */
export async function renewRun(db: Db, table: MirrorTable, id: number, runner: string, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await updating(db, table)
    .set({ running_until: until.toISOString() })
    .where('id', '=', id)
    .where('runner', '=', runner)
    .where('enabled', '=', true)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends a run; does nothing if another one has taken over. `also` runs in the same transaction unless another one has taken over. */
export async function endRun(
  db: Db,
  table: MirrorTable,
  id: number,
  runner: string,
  change: Change,
  also: (tx: Db) => Promise<void> = async () => {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { numUpdatedRows } = await updating(tx, table)
      .set({ ...change, runner: null, running_until: null })
      .where('id', '=', id)
      .where('runner', '=', runner)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await also(tx)
  })
}

/** Marks a run as due, unless one is under way. */
export async function markScheduled(db: Db, table: MirrorTable, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await updating(db, table).set({ update_status: 'scheduled' }).where('id', 'in', ids).where('runner', 'is', null).execute()
}

/** Pins the keys of the host, if none were pinned. */
export async function pinHostKey(db: Db, table: MirrorTable, id: number, key: string): Promise<void> {
  await updating(db, table).set({ host_keys: key }).where('id', '=', id).where('host_keys', 'is', null).execute()
}
