/** Merge requests: what other features may use. */
export { countOpenMergeRequests, openProposalsOf, type ProposedBranch } from './branches.queries.ts'
export { detailedStatusOf, type MergeStatus, type TargetSettings } from './detailed-status.ts'
export { draftTitle, isDraft, readyTitle } from './drafts.ts'
export { type MergeRequestFilter, type MergeRequestOrder, type MergeRequestTraits, mergeRequestOrders } from './filter.ts'
export { mergeRequestFilterOf, mergeRequestFilters, mergeRequestListParameters } from './lists.parameters.ts'
export { countMergeRequests, listMergeRequests, openMergeRequestsFor } from './lists.queries.ts'
export { mergeRequestShownBy, type SingleOptions } from './merge-request.endpoints.ts'
export { type MergeRequestGranted, mergeRequestInPath, mergeRequestOfId } from './merge-requests.access.ts'
export { mergeRequestKind } from './merge-requests.kind.ts'
export {
  type DescribedMergeRequest,
  describeMergeRequests,
  type MergeRequestForm,
  presentMergeRequest,
  presentMergeRequests,
  presentMergeRequestsSimply,
  type SingleForm,
} from './merge-requests.present.ts'
export {
  isFirstOf,
  lockMergeRequest,
  mergeRequestById,
  mergeRequestByIid,
  mergeRequestsByIds,
  newestVersionsOf,
  openWithHead,
  setReviewerState,
  updateMergeRequest,
  withOpenDiscussions,
} from './merge-requests.queries.ts'
export {
  changeMergeRequestIn,
  closeMergeRequestIn,
  createMergeRequestIn,
  findMergeRequest,
  type MergeRequestChange,
  type MergeRequestFields,
  type NewMergeRequest,
  removeMergeRequestIn,
  reopenMergeRequestIn,
} from './merge-requests.service.ts'
export { areInOneNetwork } from './network.queries.ts'
export { listClosing, listMentioning } from './of-issues.queries.ts'
export { canReopen, mayFollowSource, ownsSource } from './sources.service.ts'
export { isQueued, isQueuedBehind, type MergeParams, noWaitingMerge, paramsOf, strategyOf, waitingMerge } from './waiting-merges.ts'
