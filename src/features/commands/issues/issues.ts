/** Changing issues: what other features may use. */
export { editableIssue } from './issues.access.ts'
export {
  changeIssue,
  changeIssues,
  createIssue,
  type IssueChangeRequest,
  type NewIssueRequest,
  removeIssue,
} from './issues.service.ts'
