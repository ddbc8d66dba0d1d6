/** What happens to projects as a whole. */
import type { RefChange } from '../git/refs/ref-updates.ts'

export type ProjectEvent = ProjectCreated | ProjectRestored

/** The row is there; the repository may not be yet. */
export interface ProjectCreated {
  type: 'project_created'
  project_id: number
  creator_id: number
  /** The user whose personal namespace it is in; null in a group. */
  owner_id: number | null
}

/** A project has got the content of an archive. */
export interface ProjectRestored {
  type: 'project_restored'
  project_id: number
  default_branch: string | null
  /** Every ref it has now, as created. */
  changes: RefChange[]
}
