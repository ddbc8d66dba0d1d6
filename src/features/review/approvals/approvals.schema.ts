/** The approvals of a merge request as JSON. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

const RuleInBrief = Type.Object({ id: Type.Integer(), name: Type.String(), rule_type: oneOf('any_approver', 'regular', 'code_owner') })

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
  approved: Type.Boolean({
    description: 'Whether it has all approvals that rules require; without such rules, whether anybody has approved it',
  }),
  approvals_required: Type.Integer(),
  approvals_left: Type.Integer(),
  approved_by: Type.Array(Type.Object({ user: UserBrief, approved_at: Instant })),
  require_password_to_approve: Type.Boolean(),
  has_approval_rules: Type.Boolean(),
  approval_rules_left: Type.Array(RuleInBrief, { description: 'Rules that lack approvals' }),
  invalid_approvers_rules: Type.Array(RuleInBrief, {
    description: 'Rules that too few of those whom they name can satisfy: maintainers count for them, too',
  }),
  user_has_approved: Type.Boolean(),
  user_can_approve: Type.Boolean(),
})
