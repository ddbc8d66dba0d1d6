/** Notes on issues about where they are mentioned: one for each place, seen by those alone who can see that place. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Tx } from '../../../db/database.ts'
import type { Instant, Issue } from '../../../db/tables.ts'
import type { Reference } from '../../instance/markdown/markdown.ts'
import { commitReference, insertSystemNotes, issueReference, mentionedText } from '../notes/notes.ts'
import { issuesThatKnow, issuesThatKnowCommit } from './cross-references.queries.ts'
import type { Resolved } from './resolve.ts'
import type { NamedIssue, NamedProject } from './targets.queries.ts'

interface Place {
  issue: Issue
  project: LocatedProject
  author_id: number
  at: Instant
}

/** Says on each issue that is mentioned that it is, once. `references` are those of a text of `issue`, resolved for its author. */
export async function noteMentionsIn(tx: Tx, place: Place, references: Iterable<Reference>, resolved: Resolved): Promise<void> {
  const targets = issuesAmong(references, resolved)
  targets.delete(place.issue.id)
  if (targets.size === 0) return
  const known = await issuesThatKnow(tx, place.issue.id, [...targets.keys()])
  const fresh = [...targets.values()].filter(({ issue }) => !known.has(issue.id))
  const referred = { iid: place.issue.iid, project_path: place.project.full_path }
  await insertSystemNotes(
    tx,
    fresh.map(({ issue, project }) => ({
      ...mentionedText(`issue ${issueReference(referred, project.full_path)}`),
      noteable: { kind: 'issue', row: issue },
      author_id: place.author_id,
      at: place.at,
      about: { issue_id: place.issue.id },
    })),
  )
}

export function issuesAmong(
  references: Iterable<Reference>,
  resolved: Resolved,
): Map<number, { issue: NamedIssue; project: NamedProject }> {
  const found = new Map<number, { issue: NamedIssue; project: NamedProject }>()
  for (const reference of references) {
    const target = resolved(reference)
    if (target?.kind === 'issue') found.set(target.issue.id, target)
  }
  return found
}

interface CommitPlace {
  project: LocatedProject
  oid: string
  author_id: number
  at: Instant
}

/** As `noteMentionsIn`, of a commit: by its message, or by a comment on it. Seen by those who can read its code. */
export async function noteMentionsInCommit(
  tx: Tx,
  { project, oid, author_id, at }: CommitPlace,
  issues: ReturnType<typeof issuesAmong>,
): Promise<void> {
  if (issues.size === 0) return
  const known = await issuesThatKnowCommit(tx, oid, [...issues.keys()])
  const fresh = [...issues.values()].filter(({ issue }) => !known.has(issue.id))
  await insertSystemNotes(
    tx,
    fresh.map(({ issue, project: where }) => ({
      ...mentionedText(commitReference(oid, project.full_path, where.full_path)),
      noteable: { kind: 'issue', row: issue },
      author_id,
      at,
      about: { project_id: project.id },
    })),
  )
}
