/** Changing issues: what others may use of it. */
export { editableIssue } from './issues.access.ts'
export {
  addSpentTime,
  changeIssue,
  changeIssues,
  createIssue,
  type IssueChangeRequest,
  type NewIssueRequest,
  removeIssue,
  setEstimate,
} from './issues.service.ts'
