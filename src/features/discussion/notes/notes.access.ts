/** Notes and discussions in a path, below what they are on. */
import type { Note, NoteableName } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import type { NoteableGranted, NoteableKind } from '../../noteable-kinds.ts'
import { findDiscussion, findNote } from './notes.service.ts'

export interface NoteGranted {
  note: Note
}

export interface DiscussionGranted {
  /** Its notes that the caller can see, the first one first. */
  discussion: [Note, ...Note[]]
}

/** The note in `:note_id`, if the caller can see it. */
export const noteInPath = nested({ note_id: Id }, async ({ noteable, user }: NoteableGranted & SignedIn, { note_id }, app) => ({
  note: await findNote(app.db, noteable, user, note_id),
}))

/** The discussion in `:discussion_id`, if the caller can see it. */
export const discussionInPath = nested(
  { discussion_id: nameInPath('Id of the discussion') },
  async ({ noteable, user }: NoteableGranted & SignedIn, { discussion_id }, app) => ({
    discussion: await findDiscussion(app.db, noteable, user, discussion_id),
  }),
)

/** The note in `:note_id`, where it is one of the discussion's. */
export const noteOfDiscussion = nested({ note_id: Id }, ({ discussion }: DiscussionGranted, { note_id }): NoteGranted => {
  const note = discussion.find(({ id }) => id === note_id)
  if (!note) throw notFound('Note')
  return { note }
})

/** `noteOn(issueKind)`: the noteable and the note in the path. */
export function noteOn<N extends NoteableName>({ access }: Pick<NoteableKind<N>, 'access'>) {
  return within(access, noteInPath)
}

export function discussionOn<N extends NoteableName>({ access }: Pick<NoteableKind<N>, 'access'>) {
  return within(access, discussionInPath)
}
