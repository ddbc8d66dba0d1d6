/** Drafts of comments as JSON, and what they take. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/schema.ts'
import { DiffPosition, newPosition } from '../diff-notes/diff-notes.schema.ts'

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

export const changedDraft = { note: Type.Optional(note), position }
