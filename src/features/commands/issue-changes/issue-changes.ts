/** Changing issues: what others may use of it. */
export { editableIssue } from './issue-changes.access.ts'
export {
  addSpentTime,
  changeIssue,
  changeIssues,
  createIssue,
  type IssueChangeRequest,
  type NewIssueRequest,
  removeIssue,
  setEstimate,
} from './issue-changes.service.ts'
