/** Moving issues: what others may use of it. */
export { canMoveTo, moveIssue, moveIssueIn } from './issue-moves.service.ts'
