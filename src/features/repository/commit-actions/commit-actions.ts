/** Commits made through the API: what other features may use of them. */
export { commitActions } from './commit-actions.service.ts'
