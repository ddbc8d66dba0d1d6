/** The issues that a merge request closes when it is merged into the default branch. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { canUpdateIssue } from '../../../access/issues.ts'
import { everything } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { closingReferences, resolveReferences } from '../../discussion/references/references.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { closeIssueIn, lockIssue } from '../../planning/issues/issues.ts'

const issuesOnly = new Set(['issue'] as const)

export interface ClosedIssue {
  id: number
  /** As texts of the target project refer to it: `#1`, or `group/other#1`. */
  reference: string
}

/** The issues that title, description and commit messages say it closes, in that order; limited to those that the user can see. */
export async function closedIssues(
  db: Db,
  user: User,
  project: LocatedProject,
  { title, description }: MergeRequest,
  messages: string[],
  site: string,
): Promise<ClosedIssue[]> {
  const references = [title, description ?? '', ...messages].flatMap((text) => (/[#/]/.test(text) ? closingReferences(text, site) : []))
  if (references.length === 0) return []
  const resolved = await resolveReferences(db, user, project, references, issuesOnly)
  const issues = new Map<number, string>()
  for (const reference of references) {
    const target = resolved(reference)
    // A fork doesn't close issues of the project it was forked from.
    if (target?.kind !== 'issue' || target.issue.project_id === project.forked_from_id) continue
    const path = target.issue.project_id === project.id ? '' : target.project.full_path
    issues.set(target.issue.id, `${path}#${target.issue.iid}`)
  }
  return [...issues].map(([id, reference]) => ({ id, reference }))
}

/** Closes those of them that the user may close. */
export async function closeIssues(tx: Tx, user: User, merge_request: MergeRequest, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const { full_path: project_path } = (await findProject(tx, String(merge_request.project_id), everything)).project
  for (const id of ids) {
    const issue = await lockIssue(tx, id)
    const access = issue && (await findProject(tx, String(issue.project_id), user).catch(nullIfMissing))
    if (!issue || !access || access.project.archived) continue
    if (canUpdateIssue(access, issue, await peopleIds(tx, 'issue_assignees', id), user))
      await closeIssueIn(tx, user.id, issue, { merge_request, project_path })
  }
}
