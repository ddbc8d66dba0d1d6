/** Sentences of the pages of wikis. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'This wiki has no pages yet. What a team writes beside its code stands here; it is a git repository of its own.',
  noSuchPage: (slug: string) => t`There is no page ${slug} yet.`,
  source: 'This page is too long to be formatted, or takes too long: it is shown as it was written.',
  changedBy: 'Last changed by',
  unchanged: 'This page is the same in both versions.',
  choices: 'From that on the left to that on the right.',
  old: 'This is an older version of the page.',
  titleHint: 'Slashes make folders: “guides/install”. A new title moves the page.',
  messageHint: 'Of the commit. Leave empty for the default.',
  edited: 'Someone has changed this page since you opened it. Look at their version, then save yours again.',
  deletion: 'The page goes from the wiki. Its history stays in the repository.',
  created: (title: string) => t`Page ${title} created`,
  changed: (title: string) => t`Page ${title} saved`,
  deleted: (title: string) => t`Page ${title} deleted`,
} as const)
