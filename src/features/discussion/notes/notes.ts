/**
 * Notes: what other features may use. Notes refer to their noteable by a column per kind, with a foreign key; with a pair of type and id,
 * deletion would need code. What a system note mentions is in its row (`about_…`), and SQL hides the note with it, for rows and totals
 * alike: filtering after reading would reveal how many are hidden. A discussion is a shared id and has no row, since most notes stand
 * alone.
 */
export { unplacedOnCommit } from './commit-notes.jobs.ts'
export { type Excerpts, excerptsOfDiscussions, notesOfDiscussions } from './discussions.queries.ts'
export { type DiscussionGranted, discussionOn, type NoteGranted, noteInPath, noteOfDiscussion, noteOn } from './notes.access.ts'
export {
  type DescribedNote,
  describeNotes,
  isNoteResolvable,
  presentDiscussion,
  presentDiscussions,
  presentNote,
  presentNotes,
} from './notes.present.ts'
export {
  type Activity,
  countOpeningsBefore,
  listDiscussions,
  listNotes,
  lockNote,
  noteById,
} from './notes.queries.ts'
export {
  assertTakesReplies,
  canChangeNote,
  canDiscuss,
  changeNoteIn,
  createNoteIn,
  findNote,
  findOpening,
  maxNote_chars,
  type NewNote,
  type NotePlace,
  removeNoteIn,
} from './notes.service.ts'
export { searchNotes } from './search.queries.ts'
export { insertSystemNote, insertSystemNotes, type NewSystemNote } from './system-notes.service.ts'
export { commitReference, mentionedText, noteableReference, projectReference, type SystemAction, type SystemText } from './system-notes.ts'
