/** The acting user, with what the publisher of an event already knows about them. */
import type { ProjectAccess } from '../access/find.ts'
import type { User } from '../db/tables.ts'

/** Includes the project and their level in it, so that subscribers need no statements to find these. */
export interface KnownActor extends Pick<ProjectAccess, 'project' | 'level'> {
  user: Pick<User, 'id' | 'admin' | 'external'>
}
