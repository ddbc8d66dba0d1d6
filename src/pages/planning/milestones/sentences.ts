/** Messages of the pages of milestones. */

export const sentences = {
  none: 'There are no milestones yet. A milestone gathers issues that are to be finished by a day.',
  noneFound: 'No milestone matches.',
  noneOfYours: 'None of your projects and groups has an open milestone.',
  tooLong: 'Too long to be formatted: this is the text as it was written.',
  noIssues: 'No issue has this milestone.',
  dueHint: 'It closes nothing by itself.',
  deletion: 'Its issues stay, without a milestone. This can’t be undone.',
  promotion: 'The milestone moves to the group, with those of the same name in its other projects. This can’t be undone.',
  created: (title: string) => `Milestone ${title} created`,
  changed: (title: string) => `Milestone ${title} saved`,
  closed: (title: string) => `Milestone ${title} closed`,
  reopened: (title: string) => `Milestone ${title} is open again.`,
  deleted: (title: string) => `Milestone ${title} deleted`,
  promoted: (title: string) => `Milestone ${title} is a milestone of the group now.`,
} as const
