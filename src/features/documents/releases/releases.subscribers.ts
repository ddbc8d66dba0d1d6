/** How releases react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveReleases } from './releases.queries.ts'

/** Releases belong to the project: they are kept even if all contributions of the user are deleted. */
export function leaveReleasesToGhost(tx: Tx, { user_id, ghost_id }: EventOf<'user_deleted'>): Promise<void> {
  return moveReleases(tx, user_id, ghost_id)
}
