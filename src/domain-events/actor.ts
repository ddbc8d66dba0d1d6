/** The person who acts, as the publisher of an event knows them already. */
import type { ProjectAccess } from '../access/find.ts'
import type { User } from '../db/tables.ts'

/** With the project and their level in it: a subscriber that has them needs no statements of its own. */
export interface KnownActor extends Pick<ProjectAccess, 'project' | 'level'> {
  user: Pick<User, 'id' | 'admin' | 'external'>
}
