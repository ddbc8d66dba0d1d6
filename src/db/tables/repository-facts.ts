/** Statistics of repositories. */
import type { Day } from './columns.ts'

/** The latest statistics of a repository, and the tip of the default branch they were computed for. */
export interface RepositoryFactTable {
  project_id: number
  kind: 'contributors' | 'languages'
  /** A commit. While contributors are being counted: the commits whose histories have been counted, separated by spaces. */
  tip: string
  /** JSON; its structure depends on the kind. */
  facts: string
}

/** How often a project was cloned and fetched on a day. */
export interface FetchCountTable {
  project_id: number
  day: Day
  count: number
}
