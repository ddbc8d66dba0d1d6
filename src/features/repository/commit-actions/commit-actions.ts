/** Commits made through the API: what other features may use of them. */
export { applyCommit, type CommitOperation, commitActions } from './commit-actions.service.ts'
