/** Whoever pushes. */
import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'

/** The user who changes refs, and the project that these are in. */
export interface Pusher {
  user: User
  project: LocatedProject
  /** The access level of the user in the project. */
  level: number
  /** False: it starts no pipelines. */
  starts_pipelines?: boolean
}

/** What `git push -o` sent along, as JSON. Sealed, as it may have the values of variables in it. */
export const pushOptionsSealedFor = 'push_intents.push_options'
