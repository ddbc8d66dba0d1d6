/** Parameters of a note, and the reply if no note is created. */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { AwardEmoji } from '../../discussion/award-emoji/award-emoji.schema.ts'
import { Discussion, Note } from '../../discussion/notes/notes.schema.ts'
import { newPosition } from '../../review/diff-notes/diff-notes.schema.ts'

/** The longest body as JSON, in which a character may take six bytes. */
export const maxNote_bytes = 7 * 1024 ** 2

const body = Type.String({ description: 'Markdown, with quick actions' })

export const newNote = {
  body,
  created_at: Type.Optional(nullable(Instant)),
  internal: Type.Optional(Type.Boolean({ description: 'For members with at least the role reporter' })),
  confidential: Type.Optional(Type.Boolean({ description: 'An older name of `internal`' })),
}

/** Parameters of a note that opens a discussion on a diff. */
export const newDiffNote = {
  ...newNote,
  position: Type.Optional(nullable(newPosition)),
  commit_id: Type.Optional(nullable(Type.String({ description: 'A commit of the merge request, on whose diff the position is' }))),
}

/** Parameters of a note that opens a discussion on a commit. */
export const newCommitNote = { body: newNote.body, created_at: newNote.created_at, position: newDiffNote.position }

export const newReply = { body, created_at: newNote.created_at }

export const changedNote = { body: Type.String({ description: 'Markdown' }) }

export const changedReply = {
  body: Type.Optional(changedNote.body),
  resolved: Type.Optional(Type.Boolean({ description: 'In place of `body`, where discussions can be resolved' })),
}

/** The result of a text that contained only quick actions. */
export const NoteCommands = resource('NoteCommands', {
  commands_changes: Type.Object({}, { additionalProperties: true }),
  summary: Type.Array(Type.String()),
})

/** A note or, if there is none, what its quick actions did or the emoji that it awarded. */
export const WrittenNote = Type.Union([Note, NoteCommands, AwardEmoji])
export const WrittenDiscussion = Type.Union([Discussion, NoteCommands])
