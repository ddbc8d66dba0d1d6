/** How commit statuses react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { movePipelines, moveStatuses } from './statuses.queries.ts'

export async function leaveStatusesToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (hard_delete) return
  await moveStatuses(tx, user_id, ghost_id)
  await movePipelines(tx, user_id, ghost_id)
}
