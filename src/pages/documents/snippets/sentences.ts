/** Messages of the pages of snippets. */

import type { Visibility } from '../../../db/tables.ts'
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'There are no snippets yet. A snippet is a short text or piece of code to share.',
  noneOpen: 'There are no snippets that everybody may see yet.',
  tooLong: 'Too long to be formatted: this is the text as it was written.',
  linesLeftOut: (shown: number, all: number) => t`Only the first ${shown} of ${all} lines are shown.`,
  misleading: 'It has invisible characters that change the order in which text is shown.',
  deletion: 'Its files and comments go with it. This can’t be undone.',
  emptied: 'A file without name and content is removed.',
  another: 'Add another file',
  embed: 'Put this into a page of another site to show the snippet there.',
  noComments: 'Nobody has commented yet.',
  signInToComment: 'to comment',
  markdown: 'Markdown.',
  commented: 'Comment added',
  commentSaved: 'Comment saved',
  commentDeleted: 'Comment deleted',
  created: (title: string) => t`Snippet ${title} created`,
  changed: (title: string) => t`Snippet ${title} saved`,
  deleted: (title: string) => t`Snippet ${title} deleted`,
} as const)

export const visibilityMeaning: Record<Visibility, string> = translated({
  private: 'Only you can see it; in a project, its members.',
  internal: 'Everybody who is signed in can see it, but for external users.',
  public: 'Everybody can see it, signed in or not.',
})
