/** Issues: what others may use of them. */

export { assignableAmong } from './assignees.ts'
export { distinctIds } from './distinct-ids.ts'
export { humanDuration, parseDuration } from './durations.ts'
export { type IssueFilter, type IssueOrder, type IssueScope, type IssueTraits, issueOrders } from './filter.ts'
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
export { assigneeIds, issueById, issuesByIds, labelIds, lockIssue, updateIssue, usersByIds } from './issues.queries.ts'
export {
  type Actor,
  changeIssueIn,
  closeIssueIn,
  createIssueIn,
  findIssue,
  type IssueChange,
  type IssueFields,
  type NewIssue,
  removeIssueIn,
  reopenIssueIn,
} from './issues.service.ts'
export { issueFilterOf, issueFilters, issueListParameters } from './lists.parameters.ts'
export { countByState, listIssues, matchingIssues } from './lists.queries.ts'
export { countTasks } from './tasks.ts'
