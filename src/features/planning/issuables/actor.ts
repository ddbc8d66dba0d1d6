/** The user who changes issues or merge requests. */
import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'

/** The user, the project and their level in it; for merge requests, the target project. */
export interface Actor {
  user: User
  project: LocatedProject
  /** The user's access level in the project. */
  level: number
}
