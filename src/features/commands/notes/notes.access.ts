/** Access rules of writing, editing and deleting notes. */
import { type Access, type Condition, only, type ProjectGranted, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { canResolve } from '../../discussion/diff-discussions/diff-discussions.ts'
import { canChangeNote, canDiscuss, type DiscussionGranted, isNoteResolvable, type NoteGranted } from '../../discussion/notes/notes.ts'
import type { NoteableGranted } from '../../noteable-kinds.ts'

type InProject = ProjectGranted & SignedIn & NoteableGranted

const whileOpen: Condition<InProject> = {
  description: 'members while the discussion is locked',
  holds: ({ noteable }) => canDiscuss(noteable),
}

const byAuthor: Condition<InProject & NoteGranted> = {
  description: 'the author of the note, maintainers',
  holds: ({ user, noteable, note }) => canChangeNote(noteable, note, user),
}

const byResolver: Condition<InProject & NoteGranted> = {
  description: 'the author of the note, maintainers; to resolve it, the author of the merge request and developers, too',
  holds: ({ user, noteable, note }) => canChangeNote(noteable, note, user) || canResolve(noteable, user, note),
}

const resolver: Condition<InProject & DiscussionGranted> = {
  description: 'the author of the merge request, developers',
  holds: ({ user, noteable, opening }) => canResolve(noteable, user) && isNoteResolvable(noteable, opening),
}

/** The rule, for users who may write notes there. */
export function discussible<G extends InProject>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), whileOpen)
}

/** The rule, for users who may edit and delete the note. */
export function changeableNote<G extends InProject & NoteGranted>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), byAuthor)
}

/** The rule, for users who may edit the note or resolve it. */
export function changeableOrResolvableNote<G extends InProject & NoteGranted>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), byResolver)
}

/** The rule, for users who may resolve the discussion, if it is resolvable. */
export function resolvableDiscussion<G extends InProject & DiscussionGranted>(rule: Access<G>): Access<G> {
  return only(unarchived(rule), resolver)
}
