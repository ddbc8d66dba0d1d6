/** Approvals as JSON. No number of approvals is required, so none are ever missing. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

export const Approvals = resource('MergeRequestApprovals', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf('opened', 'closed', 'locked', 'merged'),
  created_at: Instant,
  updated_at: Instant,
  merge_status: Type.String(),
  approved: Type.Boolean({ description: 'Whether anybody has approved it' }),
  approvals_required: Type.Integer(),
  approvals_left: Type.Integer(),
  approved_by: Type.Array(Type.Object({ user: UserBrief, approved_at: Instant })),
  user_has_approved: Type.Boolean(),
  user_can_approve: Type.Boolean(),
})

export const ApprovalState = resource('MergeRequestApprovalState', {
  approval_rules_overwritten: Type.Boolean(),
  rules: Type.Array(Type.Object({}), { description: 'Always empty: there are no rules of approval' }),
})
