/** Notes on issues about where they are mentioned: one for each place, seen by those alone who can see that place. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Tx } from '../../../db/database.ts'
import type { Instant, Issue } from '../../../db/tables.ts'
import type { Reference } from '../../instance/markdown/markdown.ts'
import { insertCrossReferences, issuesThatKnow } from './cross-references.queries.ts'
import { pathFrom } from './links.ts'
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
  const known = await issuesThatKnow(tx, { source_issue_id: place.issue.id }, [...targets.keys()])
  const fresh = [...targets.values()].filter(({ issue }) => !known.has(issue.id))
  await insertCrossReferences(
    tx,
    fresh.map(({ issue, project }) => ({
      issue_id: issue.id,
      project_id: project.id,
      source_issue_id: place.issue.id,
      source_project_id: null,
      body: `mentioned in issue ${pathFrom(project, place.project)}#${place.issue.iid}`,
    })),
    place,
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
