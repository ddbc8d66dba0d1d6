/** Resource events as JSON (spec 2.17; milestones and states as later versions of the API have them). */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { issuableKinds } from '../../noteable-kinds.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { LabelBrief } from '../../planning/labels/labels.schema.ts'
import { Milestone } from '../../planning/milestones/milestones.schema.ts'

const common = {
  id: Type.Integer(),
  user: nullable(UserBrief),
  created_at: Instant,
  resource_type: oneOf(...issuableKinds.map(({ type }) => type)),
  resource_id: Type.Integer(),
}
const action = oneOf('add', 'remove')

export const LabelEvent = resource('ResourceLabelEvent', {
  ...common,
  label: nullable(LabelBrief),
  action,
})
export const MilestoneEvent = resource('ResourceMilestoneEvent', { ...common, milestone: nullable(Milestone), action })
export const StateEvent = resource('ResourceStateEvent', { ...common, state: oneOf('closed', 'reopened', 'merged') })
