/** Counts of repositories. */

/** The last counts of a repository, and the tip of its default branch that they are for. */
export interface RepositoryFactTable {
  project_id: number
  kind: 'contributors' | 'languages'
  /** A commit. While contributors are being counted, the commits from which all that is counted is reached, parted by spaces. */
  tip: string
  /** JSON, as its kind has it. */
  facts: string
}
