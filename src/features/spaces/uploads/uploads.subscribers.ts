/** How uploads react to events of other features. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveUploads } from './uploads.queries.ts'

export async function leaveUploadsToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (!hard_delete) await moveUploads(tx, user_id, ghost_id)
}
