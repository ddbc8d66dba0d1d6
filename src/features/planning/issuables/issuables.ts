/** Code that issues and merge requests share: labels, milestones, people, time, lists. */
export type { Actor } from './actor.ts'
export { type Condition, commonConditions, idOfUsername } from './conditions.queries.ts'
export { addCommon, type CommonChange, commonDifferences, editedBy, hasDifferences, writeDifferences } from './differences.service.ts'
export { changedFields, differenceOf, hasChanged, unchanged } from './differences.ts'
export { humanDuration, parseDuration } from './durations.ts'
export { type CommonFilter, type CommonOrder, type CommonTraits, type ListScope, type OrAny, scopeOf } from './filter.ts'
export {
  labelIds,
  labelsOf,
  peopleIds,
  peopleOf,
  removePeople,
} from './issuables.queries.ts'
export { type IssuableTable, issuableTables, issueTables, mergeRequestTables } from './kinds.ts'
export {
  assertKeysetOrder,
  commonFilterOf,
  dateParameters,
  idIn,
  idOrWord,
  maxSearch_chars,
  oldScopes,
  planTraits,
  planTraitsOf,
  scopeNamed,
  scopes,
  searchParameters,
  usernamesIn,
  word,
} from './lists.parameters.ts'
export { fewProjects, idsOf, isAmong, isCounted, type Listed, pageOfIssuables, projectsIn, withWords } from './lists.queries.ts'
export { commonOrders, type OrderValue, sometimes } from './orders.queries.ts'
export { acceptLabels, acceptMilestone, type CommonRequest, requestedAssignees, usersIn } from './requested.service.ts'
export { chooseSubscription, isSubscribed, subscribedAmong } from './subscriptions.queries.ts'
export { countTasks } from './tasks.ts'
export { assertTexts } from './texts.ts'
export { presentTimeStats } from './time-stats.ts'
export { timeTrackingAt } from './time-tracking.endpoints.ts'
export { addSpentTime, setEstimate } from './time-tracking.service.ts'
