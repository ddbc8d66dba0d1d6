/** Estimates and spent time of merge requests. */
import { timeTrackingAt } from '../../planning/issuables/issuables.ts'
import { changeMergeRequestIn } from '../../review/merge-requests/merge-requests.ts'
import { editableMergeRequest, visibleMergeRequest } from './merge-requests.access.ts'

export const timeTracking = timeTrackingAt('/projects/:id/merge_requests/:merge_request_iid', {
  label: 'a merge request',
  visible: visibleMergeRequest,
  editable: editableMergeRequest,
  rowOf: ({ merge_request }) => merge_request,
  changeIn: changeMergeRequestIn,
})
