/** Approving merge requests (newer than the API of spec 4.3). */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { bots, type Condition, only, type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none, type Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { approvalsOf } from './approvals.queries.ts'
import { ApprovalState, Approvals } from './approvals.schema.ts'
import { approve, canApprove, resetApprovals, unapprove } from './approvals.service.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const readable = within(project('signed-in'), mergeRequestInPath)
const writable = within(unarchived(project('signed-in')), mergeRequestInPath)

const approver: Condition<ProjectGranted & SignedIn & MergeRequestGranted> = {
  description: 'members who may edit it, while it is open',
  holds: ({ level, user, merge_request }, { app }) => canApprove(app.db, { level }, merge_request, user),
}

export const approvals = [
  endpoint(`GET ${path}/approvals`, {
    summary: 'Get the approvals of a merge request',
    access: readable,
    reply: Approvals,
    handle: ({ app, user, level, merge_request }) => present(app, { user, level }, merge_request),
  }),
  endpoint(`GET ${path}/approval_state`, {
    summary: 'Get the approval rules of a merge request: none',
    access: readable,
    reply: ApprovalState,
    handle: () => ({ approval_rules_overwritten: false, rules: [] }),
  }),
  endpoint(`POST ${path}/approve`, {
    summary: 'Approve a merge request',
    access: only(writable, approver),
    body: { sha: Type.Optional(Type.String({ description: 'Its head: 409 where that is another by now' })) },
    reply: Approvals,
    fails: ['conflict'],
    async handle({ app, user, level, merge_request, body: { sha } }) {
      const approved = await approve(app, user, { level }, merge_request.id, sha || null)
      return present(app, { user, level }, approved)
    },
  }),
  endpoint(`POST ${path}/unapprove`, {
    summary: "Remove one's approval of a merge request",
    access: writable,
    reply: Approvals,
    async handle({ app, user, level, merge_request }) {
      const unapproved = await unapprove(app, user, merge_request.id)
      return present(app, { user, level }, unapproved)
    },
  }),
  endpoint(`PUT ${path}/reset_approvals`, {
    summary: 'Remove all approvals of a merge request: for bot users',
    access: only(within(unarchived(project('reset_approvals')), mergeRequestInPath), bots),
    reply: none,
    status: 202,
    async handle({ app, merge_request }) {
      await resetApprovals(app, merge_request.id)
      return null
    },
  }),
]

async function present(
  app: App,
  { user, level }: { user: User; level: number },
  merge_request: MergeRequest,
): Promise<Presented<typeof Approvals>> {
  const given = await approvalsOf(app.db, merge_request.id)
  const hasApproved = given.some((approval) => approval.user.id === user.id)
  return {
    id: merge_request.id,
    iid: merge_request.iid,
    project_id: merge_request.project_id,
    title: merge_request.title,
    description: merge_request.description,
    state: merge_request.state,
    created_at: merge_request.created_at,
    updated_at: merge_request.updated_at,
    merge_status: merge_request.merge_status,
    approved: given.length > 0,
    approvals_required: 0,
    approvals_left: 0,
    approved_by: given.map((approval) => ({ user: presentUserBrief(app.config, approval.user), approved_at: approval.approved_at })),
    user_has_approved: hasApproved,
    user_can_approve: !hasApproved && (await canApprove(app.db, { level }, merge_request, user)),
  }
}
