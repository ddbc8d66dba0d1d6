/** Issues: what others may use of them. */
export { humanDuration } from './durations.ts'
export { type IssueGranted, issueInPath, visibleIssue } from './issues.access.ts'
export {
  type DescribedIssue,
  describeIssues,
  type IssueForm,
  issueUrl,
  presentIssue,
  presentIssues,
  presentTimeStats,
} from './issues.present.ts'
export { assigneeIds, labelIds, lockIssue } from './issues.queries.ts'
export {
  type Actor,
  changeIssueIn,
  closeIssueIn,
  createIssueIn,
  findIssue,
  type IssueChange,
  type NewIssue,
  removeIssueIn,
  reopenIssueIn,
} from './issues.service.ts'
