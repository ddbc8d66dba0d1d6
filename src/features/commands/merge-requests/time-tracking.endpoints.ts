/** Estimates and spent time of merge requests. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { TimeStats } from '../../planning/issues/issues.schema.ts'
import { presentTimeStats } from '../../planning/issues/issues.ts'
import { editableMergeRequest, visibleMergeRequest } from './merge-requests.access.ts'
import { addSpentTime, setEstimate } from './merge-requests.service.ts'

const at = '/projects/:id/merge_requests/:merge_request_iid'
const duration = Type.String({ description: 'As people write it: 1w 2d 3h 4m; a number counts hours' })

export const timeTracking = [
  endpoint(`GET ${at}/time_stats`, {
    summary: 'Get the time statistics of a merge request',
    access: visibleMergeRequest,
    reply: TimeStats,
    handle: ({ merge_request }) => presentTimeStats(merge_request),
  }),
  endpoint(`POST ${at}/time_estimate`, {
    summary: 'Set the time estimate of a merge request',
    access: editableMergeRequest,
    body: { duration },
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, merge_request, body }) =>
      presentTimeStats(await setEstimate(app, { user, project, level }, merge_request, body.duration)),
  }),
  endpoint(`POST ${at}/reset_time_estimate`, {
    summary: 'Reset the time estimate of a merge request',
    access: editableMergeRequest,
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, merge_request }) =>
      presentTimeStats(await setEstimate(app, { user, project, level }, merge_request, null)),
  }),
  endpoint(`POST ${at}/add_spent_time`, {
    summary: 'Add spent time to a merge request, or subtract it',
    access: editableMergeRequest,
    body: { duration },
    reply: TimeStats,
    handle: async ({ app, user, project, level, merge_request, body }) =>
      presentTimeStats(await addSpentTime(app, { user, project, level }, merge_request, body.duration)),
  }),
  endpoint(`POST ${at}/reset_spent_time`, {
    summary: 'Reset the spent time of a merge request',
    access: editableMergeRequest,
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, merge_request }) =>
      presentTimeStats(await addSpentTime(app, { user, project, level }, merge_request, null)),
  }),
]
