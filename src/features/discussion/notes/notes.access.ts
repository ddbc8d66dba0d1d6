/** Notes and discussions in a path, below what they are on. */
import type { Note } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import { type NoteableGranted, type NoteablePath, noteableIn } from '../noteables/noteables.ts'
import { findNote, findOpening } from './notes.service.ts'

export interface NoteGranted {
  note: Note
}

export interface DiscussionGranted {
  /** The first of its notes that the caller can see. */
  opening: Note
}

/** The note in `:note_id`, if the caller can see it. */
export const noteInPath = nested({ note_id: Id }, async ({ noteable, user }: NoteableGranted & SignedIn, { note_id }, app) => ({
  note: await findNote(app.db, noteable, user, note_id),
}))

/** The discussion in `:discussion_id`, if the caller can see it. */
export const discussionInPath = nested(
  { discussion_id: nameInPath('Id of the discussion') },
  async ({ noteable, user }: NoteableGranted & SignedIn, { discussion_id }, app) => ({
    opening: await findOpening(app.db, noteable, user, discussion_id),
  }),
)

/** The note in `:note_id`, where it is one of the discussion's. */
export const noteOfDiscussion = nested(
  { note_id: Id },
  async ({ noteable, user, opening }: NoteableGranted & SignedIn & DiscussionGranted, { note_id }, app): Promise<NoteGranted> => {
    const note = await findNote(app.db, noteable, user, note_id)
    if (note.discussion_id !== opening.discussion_id) throw notFound('Note')
    return { note }
  },
)

/** `noteIn('issues')`: the noteable and the note in the path. */
export function noteIn<P extends NoteablePath>(path: P) {
  return within(noteableIn(path, 'signed-in'), noteInPath)
}

export function discussionIn<P extends NoteablePath>(path: P) {
  return within(noteableIn(path, 'signed-in'), discussionInPath)
}
