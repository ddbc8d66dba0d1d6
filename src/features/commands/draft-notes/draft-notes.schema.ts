/** Draft comments in JSON, and their parameters. */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { DiffPosition, newPosition } from '../../review/diff-notes/diff-notes.schema.ts'

export const DraftNote = resource('DraftNote', {
  id: Type.Integer(),
  author_id: Type.Integer(),
  merge_request_id: Type.Integer(),
  resolve_discussion: Type.Boolean(),
  discussion_id: nullable(Type.String()),
  note: Type.String(),
  commit_id: nullable(Type.String()),
  line_code: nullable(Type.String()),
  position: Type.Union([DiffPosition, Type.Null()]),
})

const note = Type.String({ description: 'Markdown, with quick actions' })
const position = Type.Optional(nullable(newPosition))

export const newDraft = {
  note,
  position,
  commit_id: Type.Optional(nullable(Type.String({ description: 'A commit of the merge request, on whose diff the position is' }))),
  in_reply_to_discussion_id: Type.Optional(nullable(Type.String({ description: 'The discussion it replies to' }))),
  resolve_discussion: Type.Optional(Type.Boolean({ description: 'Whether submitting it resolves that discussion' })),
}

/** Parameters of finishing a review. */
export const summaryOfReview = {
  note: Type.Optional(Type.String({ description: 'A note on the merge request, with quick actions; none for an empty one' })),
  internal: Type.Optional(Type.Boolean({ description: 'Whether that note is for members with at least the role reporter' })),
  reviewer_state: Type.Optional(
    Type.Unsafe<'reviewed' | 'requested_changes'>({
      ...oneOf('reviewed', 'requested_changes'),
      description: 'What the reviewer says of it; no approval follows from it',
    }),
  ),
}

export const changedDraft = { note: Type.Optional(note), position }
