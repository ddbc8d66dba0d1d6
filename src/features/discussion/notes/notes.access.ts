/** Notes and discussions in a path, below their noteable. */
import type { Note, NoteableName } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import type { NoteableGranted, NoteableKind } from '../../noteable-kinds.ts'
import { findNote, findOpening } from './notes.service.ts'

export interface NoteGranted {
  note: Note
}

export interface DiscussionGranted {
  /** The first of its notes that the caller can see. */
  opening: Note
}

/** Grants the note in `:note_id`, if the caller can see it. */
export const noteInPath = nested({ note_id: Id }, async ({ noteable, user }: NoteableGranted & SignedIn, { note_id }, app) => ({
  note: await findNote(app.db, noteable, user, note_id),
}))

/** Grants the discussion in `:discussion_id`, if the caller can see it. */
export const discussionInPath = nested(
  { discussion_id: nameInPath('Id of the discussion') },
  async ({ noteable, user }: NoteableGranted & SignedIn, { discussion_id }, app) => ({
    opening: await findOpening(app.db, noteable, user, discussion_id),
  }),
)

/** Grants the note in `:note_id`, if it belongs to the discussion. */
export const noteOfDiscussion = nested(
  { note_id: Id },
  async ({ noteable, user, opening }: NoteableGranted & SignedIn & DiscussionGranted, { note_id }, app): Promise<NoteGranted> => {
    const note = await findNote(app.db, noteable, user, note_id)
    if (note.discussion_id !== opening.discussion_id) throw notFound('Note')
    return { note }
  },
)

/** `noteOn(issueKind)`: grants the noteable and the note in the path. */
export function noteOn<N extends NoteableName>({ access }: Pick<NoteableKind<N>, 'access'>) {
  return within(access, noteInPath)
}

export function discussionOn<N extends NoteableName>({ access }: Pick<NoteableKind<N>, 'access'>) {
  return within(access, discussionInPath)
}
