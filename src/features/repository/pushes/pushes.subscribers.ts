/** Reactions of pushes to events of other features. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveIntents } from './pushes.queries.ts'

/** Pushes that are in progress, or were interrupted by a crash, are completed as the Ghost User. */
export function leavePushesToGhost(tx: Tx, { user_id, ghost_id }: EventOf<'user_deleted'>): Promise<void> {
  return moveIntents(tx, user_id, ghost_id)
}
