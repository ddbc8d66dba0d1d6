/** What pages of issues say. */

export const sentences = {
  none: 'There are no issues yet. An issue is a bug, an idea or a task that people discuss and finish.',
  noneFound: 'No issue matches.',
  noDescription: 'No description.',
  noNotes: 'Nobody has commented yet.',
  tooLong: 'Too long to be formatted: this is the text as it was written.',
  confidential: 'Only its author, its assignees and members with at least the role Reporter can see this issue.',
  locked: 'Only members of the project can comment.',
  signInToComment: 'to comment',
  internal: 'Only members with at least the role Reporter can see this comment.',
  commentHint: 'Markdown. Lines that begin with a slash, such as /close, are quick actions.',
  archived: 'The project is archived: nothing can be changed.',
} as const
