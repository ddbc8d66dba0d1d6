/** Merging, rebasing, and merging when the pipeline succeeds (spec 4.3, and the reference's documentation of merge requests). */
import { Type } from 'typebox'
import { unauthorized } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { mergeRequestInPath } from '../../review/merge-requests/merge-requests.ts'
import { mergeRefOf } from '../../review/mergeability/mergeability.ts'
import { mergeOrAdd } from '../merge-trains/merge-trains.ts'
import { cancelMerge, rebaseMergeRequest } from '../merging/merging.ts'
import { visibleMergeRequest } from './merge-requests.access.ts'
import { presentTo } from './present.ts'

/** Clients expect 401 for a refused merge, whoever the caller is. */
const mergeable = within(only(project('signed-in'), { ...allowed('merge'), refusal: unauthorized }), mergeRequestInPath)

const message = (what: string) => Type.Optional(Type.String({ description: `Message of the ${what} commit` }))

const mergeParameters = {
  merge_commit_message: message('merge'),
  squash_commit_message: message('squash'),
  squash: Type.Optional(Type.Boolean({ description: 'One commit takes the place of those of the branch' })),
  should_remove_source_branch: Type.Optional(Type.Boolean({ description: 'Remove the source branch if possible' })),
  merge_when_pipeline_succeeds: Type.Optional(Type.Boolean({ description: 'Wait for the pipeline where one is running' })),
  auto_merge: Type.Optional(Type.Boolean({ description: 'The later name of merge_when_pipeline_succeeds' })),
  sha: Type.Optional(Type.String({ description: 'The tip of the source branch as the caller knows it; 409 where it is another' })),
}

const RebaseStatus = resource('RebaseStatus', { rebase_in_progress: Type.Boolean() })

const MergeRef = resource('MergeRef', { commit_id: Type.String() })

const maxText_bytes = 3 * 1024 * 1024

/** Clients use different methods to cancel. */
function cancelBy(method: 'POST' | 'PUT', operationId?: string): Endpoint {
  return endpoint(`${method} /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds`, {
    summary: 'Cancel the merge when the pipeline succeeds',
    ...(operationId && { operationId }),
    access: visibleMergeRequest,
    reply: MergeRequest,
    fails: ['not_acceptable', 'unprocessable'],
    async handle({ app, user, actor, access, merge_request }) {
      return presentTo(app, user, access, await cancelMerge(app, actor, merge_request))
    },
  })
}

export const mergeRequestMerging: Endpoint[] = [
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/merge', {
    summary: 'Merge a merge request',
    access: mergeable,
    body: mergeParameters,
    maxBody_bytes: maxText_bytes,
    reply: MergeRequest,
    fails: ['method_not_allowed', 'not_acceptable', 'conflict', 'unprocessable'],
    async handle({ app, user, actor, access, merge_request, body: { auto_merge, ...body } }) {
      const params = { ...body, merge_when_pipeline_succeeds: body.merge_when_pipeline_succeeds ?? auto_merge }
      return presentTo(app, user, access, await mergeOrAdd(app, actor, merge_request, params))
    },
  }),
  cancelBy('POST'),
  cancelBy('PUT', 'putProjectMergeRequestCancelMergeWhenPipelineSucceeds'),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/rebase', {
    summary: 'Rebase the source branch of a merge request',
    access: within(unarchived(project('signed-in')), mergeRequestInPath),
    body: { skip_ci: Type.Optional(Type.Boolean({ description: 'Skip the pipeline of the branch, as git push -o ci.skip does' })) },
    status: 202,
    reply: RebaseStatus,
    fails: ['method_not_allowed', 'unprocessable'],
    async handle({ app, actor, merge_request, body: { skip_ci } }) {
      await rebaseMergeRequest(app, actor, merge_request, { skip_ci })
      return { rebase_in_progress: false }
    },
  }),
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/merge_ref', {
    summary: 'Get the commit that merging would make, at refs/merge-requests/:merge_request_iid/merge',
    access: visibleMergeRequest,
    reply: MergeRef,
    fails: ['unprocessable'],
    async handle({ app, project, repo, merge_request }) {
      return { commit_id: await mergeRefOf(app, repo, project, merge_request) }
    },
  }),
]
