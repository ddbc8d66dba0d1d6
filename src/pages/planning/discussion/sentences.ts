/** Messages about discussions. */
import { translated } from '../../../html/sentences.ts'

export const sentences = translated({
  noDescription: 'No description.',
  noNotes: 'Nobody has commented yet.',
  tooLong: 'Too long to be formatted: this is the text as it was written.',
  internal: 'Only members with at least the role Reporter can see this comment.',
  internalHint: 'Internal: only members with at least the role Reporter see it.',
  locked: 'The discussion is locked: only members of the project can comment.',
  signInToComment: 'to comment',
  archived: 'The project is archived: nothing can be changed.',
  markdown: 'Markdown.',
  commentHint: 'Markdown. Lines that begin with a slash, such as /close, are quick actions.',
  labelsHint: 'Names, separated by commas.',
  spentHint: 'Such as 1h 30m; -30m takes half an hour back.',
  estimateHint: 'Such as 1w 2d 3h; empty for none.',
  noEmoji: 'There is no such emoji.',
  noted: 'Comment added',
  noteSaved: 'Comment saved',
  noteDeleted: 'Comment deleted',
  resolved: 'Discussion resolved',
  unresolved: 'The discussion is open again.',
  awarded: 'Reaction added',
} as const)
