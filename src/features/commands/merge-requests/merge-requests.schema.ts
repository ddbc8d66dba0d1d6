/** Parameters of requests that create and change merge requests. */
import { Type } from 'typebox'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'

const optional = Type.Optional
const number = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const titles = (description: string) => optional(nullable(Type.Array(Type.String(), { maxItems: 1_000, description })))
const people = (description: string) => optional(nullable(Type.Array(nullable(number), { maxItems: 1_000, description })))

/** JSON may need six bytes per character, and descriptions have up to 1,048,576. */
export const maxText_bytes = 7 * 1024 ** 2

/**
 * Parameters of both creating and editing. A caller who may not manage the merge request can only set its texts, branches and options; the
 * rest is ignored.
 */
const common = {
  description: optional(nullable(Type.String({ description: 'Up to 1,048,576 characters; its quick actions are run' }))),
  assignee_id: optional(nullable(Type.Unsafe<number>({ ...number, description: 'Instead of assignee_ids' }))),
  assignee_ids: people('One at most: of several the first. 0 or nothing removes the assignee; users who cannot see it are ignored'),
  reviewer_ids: people('0 or nothing removes all reviewers; users who cannot see it are ignored'),
  milestone_id: optional(
    nullable(Type.Unsafe<number>({ ...number, description: 'Of the project or a group above it, others are ignored; 0 removes it' })),
  ),
  labels: titles('Names, or one string with commas between them; new ones are created'),
  remove_source_branch: optional(nullable(Type.Boolean({ description: 'Delete the source branch with the merge' }))),
  allow_collaboration: optional(Type.Boolean({ description: 'Of forks: those who may merge may push to the source branch' })),
  allow_maintainer_to_push: optional(Type.Boolean({ description: 'The old name of allow_collaboration' })),
  squash: optional(Type.Boolean({ description: 'Make one commit of all with the merge' })),
}

export const newMergeRequest = {
  title: Type.String(),
  source_branch: Type.String(),
  target_branch: Type.String(),
  target_project_id: optional(Type.Integer({ description: 'The project itself unless given; or one of the same network of forks' })),
  ...common,
}

export const mergeRequestChange = {
  title: optional(nullable(Type.String())),
  target_branch: optional(Type.String()),
  state_event: optional(oneOf('close', 'reopen')),
  discussion_locked: optional(nullable(Type.Boolean())),
  ...common,
  add_labels: titles('Added to those it has'),
  remove_labels: titles('Removed from those it has'),
}

/** At least one of these is required. */
export const mergeRequestChangeNames = [
  'title',
  'target_branch',
  'state_event',
  'discussion_locked',
  'description',
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'milestone_id',
  'labels',
  'add_labels',
  'remove_labels',
  'remove_source_branch',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'squash',
] as const
