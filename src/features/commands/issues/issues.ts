/** Changing issues: what others may use of it. */
export { editableIssue } from './issues.access.ts'
export {
  changeIssue,
  changeIssues,
  createIssue,
  type IssueChangeRequest,
  type NewIssueRequest,
  removeIssue,
} from './issues.service.ts'
