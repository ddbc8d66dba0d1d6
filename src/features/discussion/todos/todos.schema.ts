/** Todos as JSON (spec 2.15). */
import { Type } from 'typebox'
import { Id, Instant, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { Commit } from '../../repository/commits/commits.schema.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { ProjectIdentity } from '../../spaces/projects/projects.ts'

/** Reasons for todos. Some are caused by features that don't exist yet. */
export const actions = [
  'assigned',
  'review_requested',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'merge_train_removed',
  'directly_addressed',
] as const

/** Types of targets that clients may filter by. */
const types = ['Issue', 'MergeRequest', 'Commit', 'Epic', 'DesignManagement::Design', 'AlertManagement::Alert'] as const

const state = oneOf('pending', 'done')
const action = oneOf(...actions)

export const Todo = resource('Todo', {
  id: Type.Integer(),
  project: ProjectIdentity,
  author: UserBrief,
  action_name: action,
  target_type: oneOf('Issue', 'MergeRequest', 'Commit'),
  target: Type.Union([Issue, MergeRequest, Commit]),
  target_url: Type.String({ description: 'Of its page; with the note, where it is about one' }),
  body: Type.String({ description: 'The text of the note it is about, otherwise the title of the target' }),
  state,
  created_at: Instant,
  updated_at: Instant,
})

export const filters = {
  action: Type.Optional(action),
  author_id: Type.Optional(Type.Unsafe<number>({ ...Id, description: 'Who caused it' })),
  project_id: Type.Optional(Id),
  group_id: Type.Optional(Type.Unsafe<number>({ ...Id, description: 'With the projects of groups below' })),
  type: Type.Optional(Type.Unsafe<(typeof types)[number]>({ ...oneOf(...types), description: 'What it is about' })),
}

export const filtersByState = { ...filters, state: Type.Unsafe<'pending' | 'done'>({ ...state, default: 'pending' }) }
