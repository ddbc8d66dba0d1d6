/** The user who pushes. */
import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'

/** The user who changes refs, and the project of these refs. */
export interface Pusher {
  user: User
  project: LocatedProject
  /** The access level of the user in the project. */
  level: number
  /** Whether it starts pipelines; true by default. */
  starts_pipelines?: boolean
}

/** The purpose for which push options are sealed: they may contain values of variables. */
export const pushOptionsSealedFor = 'push_intents.push_options'
