/** Commits as JSON: what other features may use of them. */
export { presentCommit, presentCommitDetail, presentDiff } from './commits.present.ts'
