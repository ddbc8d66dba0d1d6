/** Creating and changing merge requests: what other features may use. */
export { mayAllowCollaboration } from './branches.service.ts'
export { catchUpClosing } from './closes.jobs.ts'
export { editableMergeRequest, visibleMergeRequest } from './merge-requests.access.ts'
export { type NamedIssue, namesOfClosedIssues } from './merge-requests.queries.ts'
export {
  type CreatedMergeRequest,
  changeMergeRequest,
  createMergeRequest,
  type MergeRequestChangeRequest,
  type NewMergeRequestRequest,
  removeMergeRequest,
} from './merge-requests.service.ts'
export { presentTo } from './present.ts'
