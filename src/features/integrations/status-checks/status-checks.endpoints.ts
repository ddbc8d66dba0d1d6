/** Status checks: other systems are told of merge requests, and answer whether they pass (newer than the API of spec 4.3). */
import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { allowed, only, type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, oneOfDefault } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { mergeRequestInPath, presentMergeRequestsSimply } from '../../review/merge-requests/merge-requests.ts'
import { checksOfProject, type StatusCheck, statusesOf } from '../../review/status-checks/status-checks.ts'
import { removeHook } from '../hooks/hooks.ts'
import { presentChecks, presentStatus } from './status-checks.present.ts'
import { checkChange, ExternalStatusCheck, MergeRequestStatusCheck, newCheck, StatusCheckAnswer } from './status-checks.schema.ts'
import { answerCheck, changeCheck, checkOf, createCheck, retryCheck } from './status-checks.service.ts'

const managed = project('manage_status_checks')
const checkInPath = nested({ check_id: Id }, async ({ project: { id } }: ProjectGranted, { check_id }, app) => ({
  check: await checkOf(app, id, check_id),
}))
const answering = within(only(unarchived(project('signed-in')), allowed('answer_status_checks')), mergeRequestInPath)

async function one(app: App, project_id: number, check: StatusCheck) {
  const [presented] = await presentChecks(app, project_id, [check])
  return presented as NonNullable<typeof presented>
}

export const statusChecks = [
  listEndpoint('GET /projects/:id/external_status_checks', {
    summary: 'List the status checks of a project',
    access: managed,
    item: ExternalStatusCheck,
    async handle({ app, project: { id }, page }) {
      const { rows, total } = slice(await checksOfProject(app.db, id), page)
      return { rows: await presentChecks(app, id, rows), total }
    },
  }),
  endpoint('POST /projects/:id/external_status_checks', {
    summary: 'Add a status check to a project',
    access: unarchived(managed),
    body: newCheck,
    reply: ExternalStatusCheck,
    fails: ['unprocessable'],
    handle: async ({ app, project, body }) => one(app, project.id, await createCheck(app, project, body)),
  }),
  endpoint('PUT /projects/:id/external_status_checks/:check_id', {
    summary: 'Update a status check of a project',
    access: within(unarchived(managed), checkInPath),
    body: checkChange,
    reply: ExternalStatusCheck,
    fails: ['unprocessable'],
    handle: async ({ app, project: { id }, check, body }) => one(app, id, await changeCheck(app, id, check, body)),
  }),
  endpoint('DELETE /projects/:id/external_status_checks/:check_id', {
    summary: 'Remove a status check from a project',
    access: within(unarchived(managed), checkInPath),
    reply: none,
    lastChanged: ({ check }) => check.updated_at,
    async handle({ app, check }) {
      await removeHook(app, check)
      return null
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/status_checks', {
    summary: 'List the status checks of a merge request, and what they say about its head',
    access: within(project('signed-in'), mergeRequestInPath),
    item: MergeRequestStatusCheck,
    async handle({ app, level, merge_request, page }) {
      const { rows, total } = slice(await statusesOf(app.db, merge_request, merge_request.head_oid), page)
      return { rows: rows.map((row) => presentStatus(app, row, may('manage_status_checks', level))), total }
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/status_check_responses', {
    summary: 'Say whether a status check of a merge request passes',
    access: answering,
    body: {
      sha: Type.String({ description: 'The head that was looked at; 409 where it is another by now' }),
      external_status_check_id: Id,
      status: oneOfDefault('passed', 'failed', 'pending'),
    },
    reply: StatusCheckAnswer,
    fails: ['conflict'],
    async handle({ app, user, project, merge_request, body: { sha, external_status_check_id: check_id, status } }) {
      const { answer, check } = await answerCheck(app, user, merge_request, { check_id, sha, status })
      const [presented] = await presentMergeRequestsSimply(app, [merge_request])
      return {
        id: answer.id,
        merge_request: presented as NonNullable<typeof presented>,
        external_status_check: await one(app, project.id, check),
      }
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/status_checks/:external_status_check_id/retry', {
    summary: 'Ask a status check of a merge request again, after it has failed',
    access: answering,
    params: { external_status_check_id: Id },
    status: 202,
    reply: none,
    fails: ['unprocessable'],
    async handle({ app, user, merge_request, params: { external_status_check_id } }) {
      await retryCheck(app, user, merge_request, external_status_check_id)
      return null
    },
  }),
]
