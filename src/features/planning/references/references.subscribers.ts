/** What follows from the texts that people write. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isCreation, isDeletion } from '../../../git/refs/ref-updates.ts'
import { issueById } from '../issues/issues.ts'
import { followCommitComment, followReferences } from './mentions.service.ts'
import { commentById } from './references.queries.ts'

const textOf = ({ title, description }: { title: string; description: string | null }) => `${title}\n\n${description ?? ''}`

export async function followNewIssue(tx: Tx, { issue, actor_id, at }: EventOf<'issue_created'>, { url }: Site): Promise<void> {
  await followReferences(tx, { issue, note: null, author_id: actor_id, text: textOf(issue), before: null, at }, url)
}

export async function followChangedIssue(tx: Tx, event: EventOf<'issue_changed'>, { url }: Site): Promise<void> {
  const { issue, actor_id, at } = event
  const [text, before] = [textOf(issue), textOf(event.before)]
  if (text !== before) await followReferences(tx, { issue, note: null, author_id: actor_id, text, before, at }, url)
}

export async function followNote(tx: Tx, event: EventOf<'note_created' | 'note_changed'>, { url }: Site): Promise<void> {
  const { note, actor_id, at } = event
  const before = event.type === 'note_changed' ? event.before.body : null
  if (note.issue_id === null || before === note.body) return
  const issue = await issueById(tx, note.issue_id)
  if (issue) await followReferences(tx, { issue, note, author_id: actor_id, text: note.body, before, at }, url)
}

/** Comments on commits cause no todos: there are none for commits. */
export async function followComment(tx: Tx, event: EventOf<'commit_commented'>, { url }: Site): Promise<void> {
  const comment = await commentById(tx, event.comment_id)
  if (comment) await followCommitComment(tx, { ...event, ...comment }, url)
}

/** Of branches in one push. */
const maxBranches = 20

/** The branches whose new commits are read: not the first push to the default branch, which may bring years of history. */
export function readNewCommits(event: EventOf<'refs_pushed'>) {
  const { project_id, user_id, default_branch, has_new_default_branch, changes } = event
  if (default_branch === null || has_new_default_branch) return null
  const branches = changes
    .filter((change) => !isDeletion(change))
    .flatMap((change) => {
      const branch = branchOf(change.ref)
      if (branch === null || (isCreation(change) && branch === default_branch)) return []
      return [{ before: change.before, after: change.after, isDefault: branch === default_branch }]
    })
  return branches.length === 0 ? null : { project_id, user_id, branches: branches.slice(0, maxBranches) }
}
