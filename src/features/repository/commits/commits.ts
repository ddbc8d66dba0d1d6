/** Commits: what others may use of them. */
export { presentCommit, presentCommitDetail, presentDiff } from './commits.present.ts'
export { signatureOf } from './signature.service.ts'
