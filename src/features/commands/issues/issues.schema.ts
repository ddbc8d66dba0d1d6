/** Parameters of requests that create and change issues. */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'

const optional = Type.Optional
const number = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const titles = (description: string) => optional(nullable(Type.Array(Type.String(), { maxItems: 1_000, description })))

/** JSON may need six bytes per character, and descriptions have up to 1,048,576. */
export const maxText_bytes = 7 * 1024 ** 2

/**
 * Parameters of both creating and editing. A caller who may not manage the issue can only set its description and confidentiality; the rest
 * is ignored.
 */
const common = {
  description: optional(nullable(Type.String({ description: 'Up to 1,048,576 characters; its quick actions are run' }))),
  assignee_ids: optional(
    nullable(
      Type.Array(nullable(number), {
        maxItems: 1_000,
        description: 'One at most: of several the first. 0 or nothing removes the assignee; users who cannot see the issue are ignored',
      }),
    ),
  ),
  assignee_id: optional(nullable(Type.Unsafe<number>({ ...number, description: 'Instead of assignee_ids' }))),
  milestone_id: optional(
    nullable(Type.Unsafe<number>({ ...number, description: 'Of the project or a group above it, others are ignored; 0 removes it' })),
  ),
  labels: titles('Names, or one string with commas between them; new ones are created'),
  due_date: optional(nullable(Day)),
  confidential: optional(Type.Boolean()),
  discussion_locked: optional(nullable(Type.Boolean())),
}

export const newIssue = {
  title: Type.String(),
  ...common,
  created_at: optional(Type.Unsafe<string>({ ...Instant, description: 'For administrators and owners; ignored for others' })),
  iid: optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'For administrators and owners; ignored for others' })),
  merge_request_to_resolve_discussions_of: optional(Type.Integer({ description: 'Without effect yet' })),
  discussion_to_resolve: optional(Type.String({ description: 'Without effect yet' })),
}

export const issueChange = {
  title: optional(nullable(Type.String())),
  ...common,
  add_labels: titles('Added to those it has'),
  remove_labels: titles('Removed from those it has'),
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: optional(Type.Unsafe<string>({ ...Instant, description: 'For administrators and owners; ignored for others' })),
}

/** At least one of these is required. */
export const issueChangeNames = [
  'title',
  'description',
  'assignee_ids',
  'assignee_id',
  'milestone_id',
  'discussion_locked',
  'labels',
  'add_labels',
  'remove_labels',
  'due_date',
  'confidential',
  'state_event',
] as const
