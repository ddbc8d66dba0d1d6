/** Statistics of repositories. */

/** The latest statistics of a repository, and the tip of the default branch they were computed for. */
export interface RepositoryFactTable {
  project_id: number
  kind: 'contributors' | 'languages'
  /** A commit. While contributors are being counted: the commits whose histories have been counted, separated by spaces. */
  tip: string
  /** JSON; its structure depends on the kind. */
  facts: string
}
