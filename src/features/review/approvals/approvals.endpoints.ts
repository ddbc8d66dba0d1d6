/** Approving merge requests (newer than the API of spec 4.3). */
import { Type } from 'typebox'
import type { ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { bots, type Condition, only, type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none, type Presented } from '../../../http/parameters/schema.ts'
import { showsProof } from '../../people/second-factor/second-factor.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { approvalsNeededNow, type RequestState } from '../approval-rules/approval-rules.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { approvalsOf } from './approvals.queries.ts'
import { Approvals } from './approvals.schema.ts'
import { approve, canApprove, resetApprovals, unapprove } from './approvals.service.ts'

const readable = within(project('signed-in'), mergeRequestInPath)
const writable = within(unarchived(project('signed-in')), mergeRequestInPath)

const approver: Condition<ProjectGranted & SignedIn & MergeRequestGranted> = {
  description: 'members who may edit it, and those whom its approval rules name, while it is open',
  holds: async ({ project, level, user, merge_request }, { app }) => {
    const needed = await approvalsNeededNow(app, project, merge_request)
    return canApprove(app.db, { project, level }, merge_request, user, needed)
  },
}

export const approvals = [
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/approvals', {
    summary: 'Get the approvals of a merge request',
    access: readable,
    reply: Approvals,
    handle: ({ app, user, project, level, merge_request }) => present(app, user, { project, level }, merge_request),
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/approve', {
    summary: 'Approve a merge request',
    access: only(writable, approver),
    body: {
      sha: Type.Optional(Type.String({ description: 'Its head: 409 where that is another by now' })),
      approval_password: Type.Optional(
        Type.String({ description: 'The password, or a code of the second factor, where the project asks for it' }),
      ),
    },
    reply: Approvals,
    fails: ['conflict'],
    async handle({ app, ip, user, project, level, merge_request, body: { sha, approval_password: proof } }) {
      const isProven = proof !== undefined && (await showsProof(app, { user, address: ip }, proof))
      const approved = await approve(app, user, { project, level }, merge_request, { sha: sha || null, isProven })
      return present(app, user, { project, level }, approved)
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/unapprove', {
    summary: "Remove one's approval of a merge request",
    access: writable,
    reply: Approvals,
    async handle({ app, user, project, level, merge_request }) {
      const unapproved = await unapprove(app, user, merge_request.id)
      return present(app, user, { project, level }, unapproved)
    },
  }),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals', {
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

async function present(app: App, user: User, access: ProjectAccess, merge_request: MergeRequest): Promise<Presented<typeof Approvals>> {
  const given = await approvalsOf(app.db, merge_request.id)
  const hasApproved = given.some((approval) => approval.user.id === user.id)
  const needed = await approvalsNeededNow(app, access.project, merge_request)
  const { state, settings } = needed
  const inBrief = ({ rule: { id, name, rule_type } }: RequestState['rules'][number]) => ({ id, name, rule_type })
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
    approved: state.required === 0 ? given.length > 0 : state.isApproved,
    approvals_required: state.required,
    approvals_left: state.left,
    approved_by: given.map((approval) => ({ user: presentUserBrief(app.config, approval.user), approved_at: approval.approved_at })),
    require_password_to_approve: settings.require_password_to_approve,
    has_approval_rules: state.rules.length > 0,
    approval_rules_left: state.rules.filter(({ left }) => left > 0).map(inBrief),
    invalid_approvers_rules: state.rules.filter(({ isSatisfiable }) => !isSatisfiable).map(inBrief),
    user_has_approved: hasApproved,
    user_can_approve: !hasApproved && (await canApprove(app.db, access, merge_request, user, needed)),
  }
}
