/** Reactions of pushes to events of other features. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveIntents } from './pushes.queries.ts'

/** A push that is under way, or that a crash cut off, comes to its end in the name of the Ghost User. */
export function leavePushesToGhost(tx: Tx, { user_id, ghost_id }: EventOf<'user_deleted'>): Promise<void> {
  return moveIntents(tx, user_id, ghost_id)
}
