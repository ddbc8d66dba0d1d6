/** Issues: what other features may use. */

export { assignableAmong } from './assignees.ts'
export { type IssueFilter, type IssueOrder, issueOrders } from './filter.ts'
export { presentIssueTo, presentNewIssue } from './issue.present.ts'
export { type IssueGranted, issueInPath, visibleIssue } from './issues.access.ts'
export { issueKind } from './issues.kind.ts'
export {
  type DescribedIssue,
  describeIssues,
  describeNewIssue,
  type IssueForm,
  presentIssue,
  presentIssues,
} from './issues.present.ts'
export { issueById, issuesByIds, lockIssue, updateIssue } from './issues.queries.ts'
export {
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
export { countByState, countOpenIssues, listIssues, matchingIssues, openIssuesFor } from './lists.queries.ts'
