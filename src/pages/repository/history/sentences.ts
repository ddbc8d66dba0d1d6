/** Messages of the pages of a history. */

import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

const statusesOfSignatures: Record<string, string> = translated({
  verified: 'Signed by a key of the committer.',
  unverified: 'The signature could not be verified.',
  unknown_key: 'Signed by a key that nobody has added here.',
  unverified_key: 'Signed by a key of the committer with an address they have not confirmed.',
  same_user_different_email: 'Signed by a key of the committer for another of their addresses.',
  other_user: 'Signed by a key of somebody else.',
  revoked_key: 'Signed by a key that has been revoked.',
  multiple_signatures: 'Signed several times: none of the signatures counts.',
})

export const sentences = translated({
  noCommits: 'There are no commits yet. Push some, and their history is shown here.',
  noneFound: 'No commit matches. Look for other words, or for part of the name of the author.',
  unchanged: 'No commit has changed this.',
  signature: (status: string) => statusesOfSignatures[status] ?? status,
  noRefs: 'No branch or tag contains this commit.',
  andMore: (left: number) => t`And ${count(left, 'more', 'more')}.`,
  cherryPick: 'Adds what this commit changed to another branch, as a new commit.',
  revert: 'Undoes what this commit changed, by a new commit.',
  conflict:
    'The commit does not apply to this branch as it is: it has been applied already, or later commits changed ' +
    'the same lines. Nothing has changed.',
  noBranch: 'is not a branch of this project',
  picked: (branch: string) => t`The commit was cherry-picked into ${branch}.`,
  reverted: (branch: string) => t`The commit was reverted in ${branch}.`,
  noted: 'Comment added',
  notedElsewhere: 'The diff doesn’t show that line, so your comment was added to the commit as a whole.',
  noteCut: 'This is the beginning of a long comment. The API has the whole of it.',
  noNotes: 'Nobody has commented yet.',
  noteHint: 'Markdown. The line /tag v1.2.3 tags the commit.',
  notALine: 'is not the number of a line',
  compareHint: 'Branches, tags and commits. The commits and changes that the second has and the first has not are shown.',
  unknownRevision: (name: string) => t`There is no branch, tag or commit ${name}.`,
  sameCommit: 'Both are the same commit: nothing differs.',
  noneAhead: 'There is no commit that the first doesn’t have, too.',
  unrelated: 'The two have no commit in common, so all of the second is shown.',
  firstCommits: (shown: number) => t`Only the newest ${count(shown, 'commit')} are shown.`,
  noGraph: 'There are no commits to draw.',
})
