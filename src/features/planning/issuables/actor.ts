/** The person who works on issues or merge requests. */
import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'

/** The person, the project and their level in it: for merge requests, the target. */
export interface Actor {
  user: User
  project: LocatedProject
  /** The user's access level in the project. */
  level: number
}
