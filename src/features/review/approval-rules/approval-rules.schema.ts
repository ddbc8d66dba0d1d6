/** Rules of approval, and the settings of a project about approvals, as JSON. */
import { Type } from 'typebox'
import { Id, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { ProtectedBranch } from '../../repository/protected-refs/protected-refs.schema.ts'

const ApprovalGroup = resource('ApprovalGroup', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility: oneOf('private', 'internal', 'public'),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
  full_name: Type.String(),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
})

const people = Type.Array(UserBrief)

const common = {
  id: Type.Integer(),
  name: Type.String(),
  rule_type: oneOf('any_approver', 'regular', 'code_owner'),
  report_type: Type.Null(),
  eligible_approvers: Type.Array(UserBrief, {
    description:
      'Who can approve for it at present: named and not blocked, with access; at most 1,000, and none whom only a hidden group names',
  }),
  approvals_required: Type.Integer(),
  users: people,
  groups: Type.Array(ApprovalGroup, { description: 'Those that the caller can see' }),
  contains_hidden_groups: Type.Boolean(),
}

export const ProjectApprovalRule = resource('ProjectApprovalRule', {
  ...common,
  protected_branches: Type.Array(ProtectedBranch),
  applies_to_all_protected_branches: Type.Boolean(),
})

const source = nullable(Type.Object({ approvals_required: Type.Integer() }))

export const RequestApprovalRule = resource('MergeRequestApprovalRule', {
  ...common,
  source_rule: source,
  overridden: Type.Boolean({ description: 'Whether it stands in the place of a rule of the project' }),
})

export const ApprovalState = resource('MergeRequestApprovalState', {
  approval_rules_overwritten: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      ...RequestApprovalRule.properties,
      section: nullable(Type.String()),
      approved_by: people,
      approved: Type.Boolean(),
      code_owner: Type.Boolean(),
    }),
  ),
})

export const ProjectApprovals = resource('ProjectApprovals', {
  approvers: Type.Array(Type.Object({}), { description: 'Always empty: rules name who approves' }),
  approver_groups: Type.Array(Type.Object({}), { description: 'Always empty' }),
  approvals_before_merge: Type.Integer({ description: 'The approvals that anybody may give' }),
  reset_approvals_on_push: Type.Boolean(),
  reset_approvals_on: oneOf('change', 'push', 'never'),
  selective_code_owner_removals: Type.Boolean(),
  disable_overriding_approvers_per_merge_request: Type.Boolean(),
  merge_requests_author_approval: Type.Boolean(),
  merge_requests_disable_committers_approval: Type.Boolean(),
  require_password_to_approve: Type.Boolean(),
  require_reauthentication_to_approve: Type.Boolean(),
})

const locking = Type.Object({
  value: Type.Boolean({ description: 'What holds' }),
  locked: Type.Boolean({ description: 'Whether a group above leaves no choice' }),
  inherited_from: nullable(oneOf('group')),
})

export const ApprovalSetting = resource('MergeRequestApprovalSetting', {
  allow_author_approval: locking,
  allow_committer_approval: locking,
  allow_overrides_to_approver_list_per_merge_request: locking,
  retain_approvals_on_push: locking,
  selective_code_owner_removals: locking,
  require_password_to_approve: locking,
  require_reauthentication_to_approve: locking,
})

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const proof = flag('Whether approving asks for the password')

export const settingsParameters = {
  approvals_before_merge: Type.Optional(Type.Integer({ description: 'The approvals that anybody may give: kept in a rule' })),
  reset_approvals_on_push: flag('Whether a push that changes the diff takes approvals away; false for never'),
  reset_approvals_on: Type.Optional({
    ...oneOf('change', 'push', 'never'),
    description: 'What takes approvals away: a push that changes the diff, any push, or none',
  }),
  selective_code_owner_removals: flag(
    'Whether a push takes away approvals of code owners whose files it changes, where it takes no others',
  ),
  disable_overriding_approvers_per_merge_request: flag('Whether merge requests may not replace rules of the project'),
  merge_requests_author_approval: flag('Whether authors may approve their own merge requests'),
  merge_requests_disable_committers_approval: flag('Whether those may not approve who wrote or pushed commits of it'),
  require_password_to_approve: proof,
  require_reauthentication_to_approve: proof,
}

/** Parameters of `merge_request_approval_setting`. Some have the opposite sense of the older ones: true allows what it forbade there. */
export const newerSettingsParameters = {
  allow_author_approval: flag('Whether authors may approve their own merge requests'),
  allow_committer_approval: flag('Whether those may approve who wrote or pushed commits of it'),
  allow_overrides_to_approver_list_per_merge_request: flag('Whether merge requests may replace rules of the project'),
  retain_approvals_on_push: flag('Whether approvals stay when the diff changes'),
  selective_code_owner_removals: settingsParameters.selective_code_owner_removals,
  require_password_to_approve: proof,
  require_reauthentication_to_approve: proof,
}

const name = Type.String()
const approvals_required = Type.Integer({ description: 'From 0 to 100; with 0 it is optional' })
/** Clients written in Go send null for an empty list, those in Ruby an empty field of a form. */
const ids = (description: string) =>
  Type.Optional(nullable(Type.Array(Id, { maxItems: 1_000, description: `${description}; null for none` })))
const names = {
  user_ids: ids('Users; those without access to the code are left out'),
  usernames: Type.Optional(Type.Array(Type.String(), { maxItems: 1_000 })),
  group_ids: ids('Groups, whose direct members may approve'),
}
const remove_hidden_groups = flag('Whether groups that you can’t see are removed, too')
const branches = {
  protected_branch_ids: ids('Protected branches to which it is limited; for all branches without'),
  applies_to_all_protected_branches: flag('Whether it is for protected branches, whichever these are'),
}
const rule_type = Type.Optional({ ...oneOf('regular', 'any_approver'), description: 'any_approver counts everybody who may approve' })

export const newProjectRule = { name, approvals_required, rule_type, ...names, ...branches }
export const projectRuleChange = {
  name: Type.Optional(name),
  approvals_required: Type.Optional(approvals_required),
  ...names,
  ...branches,
  remove_hidden_groups,
}
export const newGroupRule = { name, approvals_required, rule_type, ...names }
export const groupRuleChange = { name: Type.Optional(name), approvals_required: Type.Optional(approvals_required), ...names }
export const newRequestRule = {
  name,
  approvals_required,
  rule_type,
  approval_project_rule_id: Type.Optional({ ...Id, description: 'The rule of the project in whose place it is to stand' }),
  ...names,
}
export const requestRuleChange = {
  name: Type.Optional(name),
  approvals_required: Type.Optional(approvals_required),
  ...names,
  remove_hidden_groups,
}
