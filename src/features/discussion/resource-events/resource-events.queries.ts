/** SQL for records of changes: labels added and removed, milestones set, states. */
import type { Selectable } from 'kysely'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { Instant, IssuableColumns, Tables } from '../../../db/tables.ts'
import type { Issuable } from '../../noteable-kinds.ts'

interface Act extends Partial<IssuableColumns> {
  user_id: number
  created_at: Instant
}

export async function insertLabelEvents(tx: Tx, act: Act, changed: { added: number[]; removed: number[] }): Promise<void> {
  const rows = [
    ...changed.added.map((label_id) => ({ ...act, label_id, action: 'add' as const })),
    ...changed.removed.map((label_id) => ({ ...act, label_id, action: 'remove' as const })),
  ]
  if (rows.length > 0) await tx.insertInto('label_events').values(rows).execute()
}

export async function insertMilestoneEvents(tx: Tx, act: Act, before: number | null, after: number | null): Promise<void> {
  const rows = [
    ...(before === null ? [] : [{ ...act, milestone_id: before, action: 'remove' as const }]),
    ...(after === null ? [] : [{ ...act, milestone_id: after, action: 'add' as const }]),
  ]
  if (rows.length > 0) await tx.insertInto('milestone_events').values(rows).execute()
}

/** States by their names in events. */
export type StateChange = 'closed' | 'reopened' | 'merged'

export async function insertStateEvent(tx: Tx, act: Act, action: StateChange): Promise<void> {
  await tx
    .insertInto('state_events')
    .values({ ...act, action })
    .execute()
}

export type ChangeTable = 'label_events' | 'milestone_events' | 'state_events'

/** The events of a noteable in this table, the oldest first. */
export function listChanges<T extends ChangeTable>(
  db: Db,
  table: T,
  noteable: Issuable,
  page: PageOf,
): Promise<{ rows: Array<Selectable<Tables[T]>>; total: number }> {
  return paginate(changesOf(db, table, noteable).orderBy('id'), page) as Promise<{ rows: Array<Selectable<Tables[T]>>; total: number }>
}

/** One of them; null if the noteable has no such event. */
export async function findChange<T extends ChangeTable>(
  db: Db,
  table: T,
  noteable: Issuable,
  id: number,
): Promise<Selectable<Tables[T]> | null> {
  const found = await changesOf(db, table, noteable).where('id', '=', id).executeTakeFirst()
  return (found as Selectable<Tables[T]> | undefined) ?? null
}

function changesOf(db: Db, table: ChangeTable, { kind, row }: Issuable) {
  // All three tables have the selected columns.
  return db
    .selectFrom(table as 'label_events')
    .selectAll()
    .where(`${kind}_id`, '=', row.id)
}
