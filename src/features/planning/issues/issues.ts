/** Issues: what others may use of them. */

export { assignableAmong } from './assignees.ts'
export {
  commonConditions,
  haveAll,
  type InIssues,
  idOfUsername,
  type ListedTables,
  mergeRequestTables,
} from './conditions.queries.ts'
export { changedFields, differenceOf, hasChanged, unchanged } from './differences.ts'
export { distinctIds } from './distinct-ids.ts'
export { humanDuration, parseDuration } from './durations.ts'
export {
  type CommonFilter,
  type CommonOrder,
  type IssueFilter,
  type IssueOrder,
  type IssueScope,
  type IssueTraits,
  issueOrders,
  type OrAny,
} from './filter.ts'
export { type IssueGranted, issueInPath, visibleIssue } from './issues.access.ts'
export {
  type DescribedIssue,
  describeIssues,
  describeNewIssue,
  type IssueForm,
  issueUrl,
  presentIssue,
  presentIssues,
  presentTimeStats,
} from './issues.present.ts'
export { assigneeIds, grouped, issueById, issuesByIds, labelIds, lockIssue, updateIssue, usersByIds } from './issues.queries.ts'
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
export {
  idIn,
  idOrWord,
  issueFilterOf,
  issueFilters,
  issueListParameters,
  maxSearch_chars,
  oldScopes,
  planTraits,
  planTraitsOf,
  scopes,
  textsIn,
  usernamesIn,
  word,
} from './lists.parameters.ts'
export { countByState, countOpenIssues, idsOf, isAmong, isFoundSoon, listIssues, matchingIssues } from './lists.queries.ts'
export { commonOrders, type IssueIds, type OrderValue, orderedBy, sometimes } from './orders.queries.ts'
export { countTasks } from './tasks.ts'
export { assertTexts } from './texts.ts'
export { logTime } from './time-logs.service.ts'
