/** Messages of the pages of milestones. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'There are no milestones yet. A milestone gathers issues that are to be finished by a day.',
  noneFound: 'No milestone matches.',
  noneOfYours: 'None of your projects and groups has an open milestone.',
  tooLong: 'Too long to be formatted: this is the text as it was written.',
  noIssues: 'No issue has this milestone.',
  dueHint: 'It closes nothing by itself.',
  deletion: 'Its issues stay, without a milestone. This can’t be undone.',
  promotion: 'The milestone moves to the group, with those of the same name in its other projects. This can’t be undone.',
  created: (title: string) => t`Milestone ${title} created`,
  changed: (title: string) => t`Milestone ${title} saved`,
  closed: (title: string) => t`Milestone ${title} closed`,
  reopened: (title: string) => t`Milestone ${title} is open again.`,
  deleted: (title: string) => t`Milestone ${title} deleted`,
  promoted: (title: string) => t`Milestone ${title} is a milestone of the group now.`,
} as const)
