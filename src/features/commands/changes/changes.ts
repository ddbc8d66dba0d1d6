/** Merge requests and their commits: what other features may use. */
export { mergeRequestsOfCommit } from './changes.queries.ts'
