/** Who works on issues or merge requests. */
import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'

/** Who works on those of which project: of merge requests, the target. */
export interface Actor {
  user: User
  project: LocatedProject
  /** The user's access level in the project. */
  level: number
}
