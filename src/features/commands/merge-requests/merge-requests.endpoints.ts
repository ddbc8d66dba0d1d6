/** Creating, editing and deleting merge requests (spec 4.3, and the reference's documentation of merge requests). */
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none } from '../../../http/parameters/schema.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { mergeRequestInPath, mergeRequestShownBy } from '../../review/merge-requests/merge-requests.ts'
import { editableMergeRequest } from './merge-requests.access.ts'
import { maxText_bytes, mergeRequestChange, mergeRequestChangeNames, newMergeRequest } from './merge-requests.schema.ts'
import { changeMergeRequest, createMergeRequest, removeMergeRequest } from './merge-requests.service.ts'
import { presentTo } from './present.ts'
import { relatedToMergeRequests } from './related.endpoints.ts'
import { timeTracking } from './time-tracking.endpoints.ts'

export const mergeRequestWrites = [
  mergeRequestShownBy(presentTo),
  endpoint('POST /projects/:id/merge_requests', {
    summary: 'Create a merge request from a branch of a project',
    access: unarchived(project('create_merge_requests')),
    body: newMergeRequest,
    maxBody_bytes: maxText_bytes,
    reply: MergeRequest,
    fails: ['conflict', 'unprocessable'],
    async handle({ app, user, access, body }) {
      const { merge_request, access: target } = await createMergeRequest(app, user, access, body)
      return presentTo(app, user, target, merge_request)
    },
  }),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Update a merge request',
    access: editableMergeRequest,
    body: mergeRequestChange,
    atLeastOne: mergeRequestChangeNames,
    maxBody_bytes: maxText_bytes,
    reply: MergeRequest,
    fails: ['conflict', 'unprocessable'],
    async handle({ app, user, actor, access, merge_request, body }) {
      return presentTo(app, user, access, await changeMergeRequest(app, actor, merge_request, body))
    },
  }),
  endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Delete a merge request with everything on it',
    access: within(unarchived(project('delete_merge_requests')), mergeRequestInPath),
    reply: none,
    lastChanged: ({ merge_request }) => merge_request.updated_at,
    async handle({ app, actor, merge_request }) {
      await removeMergeRequest(app, actor, merge_request)
      return null
    },
  }),
  ...relatedToMergeRequests,
  ...timeTracking,
]
