/**
 * Notes: what others may use of them.
 *
 * Notes name what they are on by a column for each kind, with a foreign key: with a pair of type and id, deleting becomes code. What a system
 * note tells of is in its row (`about_…`), and SQL hides it with its source, for rows and totals alike: filtering after reading would tell how
 * many are hidden. A discussion is a shared id and no row of its own, since most notes stand alone.
 */
export { unplacedOnCommit } from './commit-notes.jobs.ts'
export { type DiscussionGranted, discussionOn, type NoteGranted, noteInPath, noteOfDiscussion, noteOn } from './notes.access.ts'
export { type DescribedNote, describeNotes, isNoteResolvable, presentDiscussions, presentNote, presentNotes } from './notes.present.ts'
export {
  type Activity,
  countOpeningsBefore,
  listNotes,
  listOpenings,
  lockNote,
  noteById,
  notesOfDiscussions,
} from './notes.queries.ts'
export {
  assertTakesReplies,
  canChangeNote,
  canDiscuss,
  changeNoteIn,
  createNoteIn,
  findDiscussion,
  findNote,
  maxNote_chars,
  type NewNote,
  type NotePlace,
  removeNoteIn,
} from './notes.service.ts'
export { searchNotes } from './search.queries.ts'
export { insertSystemNote, insertSystemNotes, type NewSystemNote } from './system-notes.service.ts'
export { commitReference, mentionedText, noteableReference, projectReference, type SystemAction, type SystemText } from './system-notes.ts'
