/** Who may write, edit and delete notes. */
import { type Access, type Condition, only, type ProjectGranted, type SignedIn, unarchived } from '../../../http/rules.ts'
import type { NoteableGranted } from '../noteables/noteables.ts'
import { canChangeNote, canDiscuss, type NoteGranted } from '../notes/notes.ts'

type InProject = ProjectGranted & SignedIn & NoteableGranted

const whileOpen: Condition<InProject> = {
  description: 'members while the discussion is locked',
  holds: ({ noteable }) => canDiscuss(noteable),
}

const byAuthor: Condition<InProject & NoteGranted> = {
  description: 'the author of the note, maintainers',
  holds: ({ user, noteable, note }) => canChangeNote(noteable, note, user),
}

/** The rule, for those who may write there. */
export function discussible<G extends InProject>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), whileOpen)
}

/** The rule, for those who may edit and delete the note. */
export function changeableNote<G extends InProject & NoteGranted>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), byAuthor)
}
