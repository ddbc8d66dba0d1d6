/** Moving and cloning issues: what other features may use. */
export { canMoveTo, cloneIssue, moveIssue, moveIssueIn } from './issue-moves.service.ts'
