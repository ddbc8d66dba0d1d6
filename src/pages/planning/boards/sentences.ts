/** Messages of the pages of boards. */

export const sentences = {
  none: 'There is no board yet. A board shows issues in columns, a column for each label, and moving an issue changes its labels.',
  noLists: 'Add a list: it shows the issues with its label.',
  noLabels: 'Every label has a list, or there are none: create a label first.',
  empty: 'No issues',
  deletion: 'The board and its lists are deleted; issues and labels stay. This can’t be undone.',
  created: (name: string) => `Board ${name} created`,
  saved: 'Board saved',
  deleted: (name: string) => `Board ${name} deleted`,
  listAdded: (label: string) => `List ${label} added`,
  listMoved: (label: string) => `List ${label} moved`,
  listRemoved: (label: string) => `List ${label} removed`,
  moved: (title: string, to: string) => `${title} is in ${to} now.`,
} as const
