/** How projects react to events of other features. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { isMoreOpen } from '../../../validation.ts'
import { moveProjects, updateAfterPush } from './projects.queries.ts'
import { deleteStarsOf } from './stars.queries.ts'
import { narrowForks } from './visibility.service.ts'

/** Sets the time of last activity to now, whenever the push happened. */
export function notePush(tx: Tx, { project_id, default_branch, readme_path }: EventOf<'refs_pushed'>): Promise<void> {
  return updateAfterPush(tx, project_id, { default_branch, readme_path, at: now() })
}

/** Decrements the star counts of the projects that the user had starred. */
export function removeStars(tx: Tx, { user_id }: EventOf<'user_deletion_started' | 'user_deleted'>): Promise<void> {
  return deleteStarsOf(tx, user_id)
}

export async function leaveProjectsToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (!hard_delete) await moveProjects(tx, user_id, ghost_id)
}

/** A fork is never more visible than its source. */
export async function narrowForksWith(tx: Tx, event: EventOf<'project_visibility_changed'>): Promise<void> {
  const { project_id, before, after } = event
  if (isMoreOpen(before, after)) await narrowForks(tx, project_id, after)
}
