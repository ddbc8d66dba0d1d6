/** Merge requests as JSON, in lists of other features (spec 2.6). There are none yet. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../http/schema.ts'
import { UserBrief } from '../people/users/users.schema.ts'

export const MergeRequest = resource('MergeRequest', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf('opened', 'closed', 'locked', 'merged'),
  created_at: Instant,
  updated_at: Instant,
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_project_id: Type.Integer(),
  target_project_id: Type.Integer(),
  author: UserBrief,
  assignee: nullable(UserBrief),
  web_url: Type.String(),
})
