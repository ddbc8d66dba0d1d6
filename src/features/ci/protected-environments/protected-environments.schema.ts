/** Protected environments and the approvals of deployments in JSON. */
import { Type } from 'typebox'
import { Id, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

const named = {
  access_level: nullable(Type.Integer({ description: '30: Developers, 40: Maintainers, 60: administrators' })),
  access_level_description: Type.String({ description: 'The role, or the name of the user or group' }),
  user_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  group_inheritance_type: Type.Integer({ description: '0: direct members of the group; 1: inherited ones, too' }),
}

export const DeployAccessLevel = resource('DeployAccessLevel', { id: Type.Integer(), ...named })
export const DeploymentApprovalRule = resource('DeploymentApprovalRule', {
  id: Type.Integer(),
  ...named,
  required_approvals: Type.Integer(),
})

export const ProtectedEnvironment = resource('ProtectedEnvironment', {
  name: Type.String(),
  deploy_access_levels: Type.Array(DeployAccessLevel),
  required_approval_count: Type.Integer({ description: 'Counts where there are no rules' }),
  approval_rules: Type.Array(DeploymentApprovalRule),
})

export const approvalStatuses = ['approved', 'rejected'] as const

export const DeploymentApproval = resource('DeploymentApproval', {
  user: nullable(UserBrief),
  status: oneOf(...approvalStatuses),
  created_at: Instant,
  comment: nullable(Type.String()),
})

/** Fields that a deployment to a protected environment has in addition. */
export const approvalState = {
  pending_approval_count: Type.Optional(Type.Integer({ description: 'How many approvals are missing' })),
  approvals: Type.Optional(Type.Array(DeploymentApproval)),
  approval_summary: Type.Optional(
    Type.Object({
      rules: Type.Array(Type.Object({ ...DeploymentApprovalRule.properties, deployment_approvals: Type.Array(DeploymentApproval) })),
    }),
  ),
}

const sent = {
  access_level: Type.Optional(Type.Integer({ minimum: 0, maximum: 60 })),
  user_id: Type.Optional(Id),
  group_id: Type.Optional(Id),
  group_inheritance_type: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
}
const kept = { id: Type.Optional(Id), _destroy: Type.Optional(Type.Boolean()) }
const required = { required_approvals: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }

/** Rules as they are sent: new ones, and changes of those with an id. */
export const sentDeployers = Type.Array(Type.Object({ ...sent, ...kept }), { maxItems: 100, description: 'Who may deploy' })
export const sentApprovers = Type.Array(Type.Object({ ...sent, ...required, ...kept }), { maxItems: 100, description: 'Who must approve' })
export const sentCount = Type.Integer({ minimum: 0, maximum: 100, description: 'How many must approve, where there are no rules' })
