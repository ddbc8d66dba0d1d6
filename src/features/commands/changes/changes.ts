/** Merge requests and the commits they bring: what others may use. */
export { mergeRequestsOfCommit } from './changes.queries.ts'
