/** Commits: what others may use of them. */
export { presentCommit, presentCommitDetail, presentDiff } from './commits.present.ts'
export { lastPipelineOf, lastPipelinesOf } from './last-pipelines.queries.ts'
export { signatureOf } from './signature.service.ts'
