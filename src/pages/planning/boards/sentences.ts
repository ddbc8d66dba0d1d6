/** Messages of the pages of boards. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'There is no board yet. A board shows issues in columns, a column for each label, and moving an issue changes its labels.',
  noLists: 'Add a list: it shows the issues with its label.',
  noLabels: 'Every label has a list, or there are none: create a label first.',
  empty: 'No issues',
  deletion: 'The board and its lists are deleted; issues and labels stay. This can’t be undone.',
  created: (name: string) => t`Board ${name} created`,
  saved: 'Board saved',
  deleted: (name: string) => t`Board ${name} deleted`,
  listAdded: (label: string) => t`List ${label} added`,
  listMoved: (label: string) => t`List ${label} moved`,
  listRemoved: (label: string) => t`List ${label} removed`,
  moved: (title: string, to: string) => t`${title} is in ${to} now.`,
} as const)
