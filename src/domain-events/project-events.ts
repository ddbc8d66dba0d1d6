/** What happens to projects as a whole. */
import type { RefChange } from '../git/refs/ref-updates.ts'

export type ProjectEvent = ProjectRestored

/** A project has got the content of an archive. */
export interface ProjectRestored {
  type: 'project_restored'
  project_id: number
  default_branch: string | null
  /** Every ref it has now, as created. */
  changes: RefChange[]
}
