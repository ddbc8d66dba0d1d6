/** Moving issues: what other features may use. */
export { canMoveTo, moveIssue, moveIssueIn } from './issue-moves.service.ts'
