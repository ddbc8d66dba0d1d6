/** Notes and discussions as JSON (spec 2.7), with what later versions of this API add. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { NoteableType } from '../../noteable-kinds.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { DiffPosition, SuggestionInNote } from '../../review/diff-notes/diff-notes.schema.ts'

export const Note = resource('Note', {
  id: Type.Integer(),
  type: nullable(oneOf('DiscussionNote', 'DiffNote')),
  body: Type.String(),
  attachment: nullable(Type.String({ description: 'Always null: files are links in the body' })),
  author: UserBrief,
  created_at: Instant,
  updated_at: Instant,
  system: Type.Boolean({ description: 'Written by the service, of a change' }),
  noteable_id: nullable(Type.Integer({ description: 'Null of a commit' })),
  noteable_type: NoteableType,
  project_id: Type.Integer(),
  /** Only in notes on commits; the next three only in notes on diffs. */
  commit_id: Type.Optional(nullable(Type.String({ description: 'The commit, where it is on a single one' }))),
  position: Type.Optional(DiffPosition),
  suggestions: Type.Optional(Type.Array(SuggestionInNote)),
  resolvable: Type.Boolean(),
  /** These three only in resolvable notes. */
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(nullable(UserBrief)),
  resolved_at: Type.Optional(nullable(Instant)),
  confidential: Type.Boolean({ description: 'The same as `internal`' }),
  internal: Type.Boolean({ description: 'For members with at least the role reporter' }),
  imported: Type.Boolean(),
  noteable_iid: nullable(Type.Integer()),
  commands_changes: Type.Object(
    {},
    { additionalProperties: true, description: 'Of a note that was just written: what its quick actions changed' },
  ),
})

export const Discussion = resource('Discussion', {
  id: Type.String(),
  individual_note: Type.Boolean({ description: 'A single note; the first reply makes it a discussion' }),
  notes: Type.Array(Note),
})
