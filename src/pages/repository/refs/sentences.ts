/** Messages of the pages of branches, tags, releases and graphs. */

import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const branchSentences = translated({
  none: 'This repository has no branches yet. The first push makes one.',
  noneFound: (search: string) => t`No branch has “${search}” in its name.`,
  noneOfAge: { active: 'No branch has commits from the last three months.', stale: 'Every branch has commits from the last three months.' },
  refHint: 'A branch, a tag or the id of a commit.',
  nameHint: 'Letters, digits and signs but spaces and ~ ^ : ? * [ \\. Slashes group branches: feature/search.',
  created: (name: string) => t`Branch ${name} created`,
  deleted: (name: string) => t`Branch ${name} deleted`,
  gone: (name: string) => t`The branch ${name} is not there any more. Somebody may have deleted it before you.`,
  moved: (name: string) => t`The branch ${name} has moved since this page was shown, and was not deleted. Look at what is new on it first.`,
  deletion: 'Commits that are on no other branch or tag can’t be reached any more.',
  mergedDeletion: (into: string) => t`Deletes every branch whose commits are all on ${into}, except protected ones.`,
  deletedMerged: (deleted: number) =>
    deleted === 0 ? t`No merged branch was there to delete.` : t`${count(deleted, 'merged branch', 'merged branches')} deleted.`,
  uncounted: 'The histories part too far back to count the commits.',
})

export const tagSentences = translated({
  none: 'This repository has no tags yet. A tag gives a commit a name that lasts, such as the number of a release.',
  noneFound: (search: string) => t`No tag has “${search}” in its name.`,
  messageHint: 'With a message the tag is annotated: it keeps who made it and when.',
  notesHint: 'Markdown. Notes make the tag a release.',
  created: (name: string) => t`Tag ${name} created`,
  deleted: (name: string) => t`Tag ${name} deleted`,
  gone: (name: string) => t`The tag ${name} is not there any more. Somebody may have deleted it before you.`,
  moved: (name: string) => t`The tag ${name} has moved since this page was shown, and was not deleted.`,
  deletion: 'Deletes the tag and its release notes. Who has fetched it keeps it.',
  signed: (kind: string) => t`Signed (${kind}). Signatures of tags are not verified here.`,
  notCommit: 'This tag names something other than a commit.',
  saved: 'Release notes saved',
  notesRemoved: 'Release notes removed',
})

export const releaseSentences = translated({
  none: 'There are no releases yet. A release is a tag with notes and links to what was built from it.',
  tagHint: 'An existing tag, or a new one that is created from the branch or commit below.',
  refHint: 'Only for a new tag: the branch or commit it is created from.',
  nameHint: 'The name of the tag unless given.',
  dateHint: 'In the future: the release is shown as upcoming.',
  milestonesHint: 'Titles of milestones of the project or of groups above it, one in each line.',
  pathHint: 'Optional, such as /bin/linux-amd64: gives the link an address below the release that stays the same.',
  created: (name: string) => t`Release ${name} created. Below, links to its files can be added.`,
  saved: 'Release saved',
  deleted: (name: string) => t`Release of ${name} deleted. Tag not deleted.`,
  deletion: 'Deletes the notes and the links of this release. Its tag stays.',
  changed:
    'Somebody has saved this release since you opened the form. Below is your text: compare it with theirs, then save again to replace it.',
  linkAdded: (name: string) => t`Link ${name} added`,
  linkSaved: (name: string) => t`Link ${name} saved`,
  linkRemoved: (name: string) => t`Link ${name} removed`,
  linkGone: 'This link is not there any more. Somebody may have removed it before you.',
  tagGone: 'Its tag has been deleted.',
  tooLong: 'These notes are too long to be formatted.',
})

export const graphSentences = translated({
  fetches: (total: number) => t`${count(total, 'clone or fetch', 'clones and fetches')} in the last 30 days, over HTTP and SSH.`,
  empty: 'There is nothing to count yet: the repository has no commits.',
  counting: 'Counting the history. You can leave this page.',
  counted: (commits: number) => t`${count(commits, 'commit')} counted so far.`,
  countingLanguages: 'The languages are still being counted. Open this page again in a moment.',
  noLanguages: 'No file of the default branch is in a language that is counted.',
  tooFar: 'This could not be counted in time: the history of this revision is too far from that of the default branch.',
  counts: 'Merges are not counted, and months are in UTC.',
  times: (commits: number, max: number) =>
    commits < max
      ? t`All commits but merges, by the clocks of their committers.`
      : t`The newest ${count(commits, 'commit')} but merges, by the clocks of their committers.`,
})

/** By the period that the charts of contributors count in. */
export const graphWords = translated({
  month: {
    period: 'Month',
    commits: 'Commits by month',
    lines: 'Lines by month',
    changes: 'Added and deleted lines by month',
    table: 'commits and lines by month',
  },
  year: {
    period: 'Year',
    commits: 'Commits by year',
    lines: 'Lines by year',
    changes: 'Added and deleted lines by year',
    table: 'commits and lines by year',
  },
})
