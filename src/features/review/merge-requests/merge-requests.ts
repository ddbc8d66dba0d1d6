/** Merge requests: what others may use of them. */

export { draftTitle, isDraft, readyTitle } from './drafts.ts'
export { type MergeRequestGranted, mergeRequestInPath } from './merge-requests.access.ts'
export {
  labelsOfMergeRequests,
  lockMergeRequest,
  mergeRequestById,
  mergeRequestByIid,
  mergeRequestLabelIds,
  newestVersionsOf,
  peopleIds,
  peopleOf,
  updateMergeRequest,
} from './merge-requests.queries.ts'
export {
  type Actor,
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
