/** SQL for what is recorded of changes: labels added and removed, milestones set, states. */
import type { Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

interface Act {
  issue_id: number
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

export async function insertStateEvent(tx: Tx, act: Act, action: 'closed' | 'reopened'): Promise<void> {
  await tx
    .insertInto('state_events')
    .values({ ...act, action })
    .execute()
}
