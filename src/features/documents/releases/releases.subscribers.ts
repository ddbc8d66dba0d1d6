/** What releases do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { moveReleases } from './releases.queries.ts'

/** Releases are the project's: they stay even when everything else of the user is deleted. */
export function leaveReleasesToGhost(tx: Tx, { user_id, ghost_id }: EventOf<'user_deleted'>): Promise<void> {
  return moveReleases(tx, user_id, ghost_id)
}
