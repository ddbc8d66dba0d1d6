/** How memberships react to events of other features. */
import { accessLevels } from '../../../access/levels.ts'
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { insertMember } from './members.queries.ts'

/** The owner of a personal namespace is a member of each project in it. */
export async function enrolOwner(tx: Tx, { project_id, owner_id }: EventOf<'project_created'>): Promise<void> {
  if (owner_id === null) return
  await insertMember(tx, { project_id }, { user_id: owner_id, access_level: accessLevels.maintainer, expires_at: null })
}
