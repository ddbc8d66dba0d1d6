/** Commits: what other features may use. */
export { commitKind, discussedCommit } from './commits.kind.ts'
export { presentCommit, presentCommitDetail, presentDiff } from './commits.present.ts'
export { lastPipelineOf, lastPipelinesOf } from './last-pipelines.queries.ts'
export { signatureOf, signatureOfTag } from './signature.service.ts'
