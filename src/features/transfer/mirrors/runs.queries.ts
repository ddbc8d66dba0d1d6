/** SQL for the runs of mirrors, of both kinds: one at a time, and how they went. */
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { PullMirror, PushMirror } from '../../../db/tables.ts'

export type MirrorTable = 'push_mirrors' | 'pull_mirrors'

/** Columns that both have. */
type Change = Partial<Omit<PushMirror & PullMirror, 'id' | 'created_at'>>

/** Of which kind it is, is the table's business: both have these columns. */
const updating = (db: Db, table: MirrorTable) => db.updateTable(table as 'push_mirrors')

/** Begins a run; false if another is under way, or the mirror is gone. */
export async function claimRun(db: Db, table: MirrorTable, id: number, runner: string, until: Date): Promise<boolean> {
  const at = now()
  const { numUpdatedRows } = await updating(db, table)
    .set({ runner, running_until: until.toISOString(), update_status: 'started', last_update_started_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('running_until', 'is', null), eb('running_until', '<', at)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if the run is another's by now, or the mirror was removed, disabled or changed. */
export async function renewRun(db: Db, table: MirrorTable, id: number, runner: string, until: Date): Promise<boolean> {
  const { numUpdatedRows } = await updating(db, table)
    .set({ running_until: until.toISOString() })
    .where('id', '=', id)
    .where('runner', '=', runner)
    .where('enabled', '=', true)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends a run; nothing changes where it is another's. `also` runs in the same transaction, where it was ours. */
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

/** Marks that a run is due, unless one is under way. */
export async function markScheduled(db: Db, table: MirrorTable, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await updating(db, table).set({ update_status: 'scheduled' }).where('id', 'in', ids).where('runner', 'is', null).execute()
}

/** Pins the keys of the host, where none were. */
export async function pinHostKey(db: Db, table: MirrorTable, id: number, key: string): Promise<void> {
  await updating(db, table).set({ host_keys: key }).where('id', '=', id).where('host_keys', 'is', null).execute()
}
