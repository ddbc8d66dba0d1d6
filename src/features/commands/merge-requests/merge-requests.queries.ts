/** SQL for the issues that merge requests close, and for their reviewers. */
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { Instant, Issue, ReviewerState } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import { addClosedIssues } from '../merging/merging.ts'

/** The issues that a merge request will close, limited to those that the viewer can see: two statements. */
export function closedIssues(db: Db, viewer: Viewer, mergeRequestId: number, page: PageOf): Promise<Found<Issue>> {
  return paginate(closedBy(db, viewer, mergeRequestId).selectAll('issues').orderBy('issues.id'), page)
}

/** The issues that a merge request mentions in its description or a comment, or will close: those that the viewer can see. Two statements. */
export function mentionedIssues(db: Db, viewer: Viewer, mergeRequestId: number, page: PageOf): Promise<Found<Issue>> {
  const mentioned = db
    .selectFrom('notes')
    .select((eb) => eb.ref('notes.issue_id').$notNull().as('id'))
    .where('notes.about_merge_request_id', '=', mergeRequestId)
    .where('notes.issue_id', 'is not', null)
    .union(db.selectFrom('merge_request_closes').select('issue_id as id').where('merge_request_id', '=', mergeRequestId))
  const issues = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .where('issues.id', 'in', mentioned)
    .where(issuesVisibleTo(viewer))
  return paginate(issues.selectAll('issues').orderBy('issues.id'), page)
}

/** The fields that name an issue in a sentence. */
export type NamedIssue = Pick<Issue, 'iid' | 'title' | 'state'> & { project_path: string }

/** The first of them, with the fields that name them: one statement. */
export function namesOfClosedIssues(db: Db, viewer: Viewer, mergeRequestId: number, limit: number): Promise<NamedIssue[]> {
  return closedBy(db, viewer, mergeRequestId)
    .innerJoin('routes', 'routes.project_id', 'issues.project_id')
    .select(['issues.iid', 'issues.title', 'issues.state', 'routes.path as project_path'])
    .orderBy('issues.id')
    .limit(limit)
    .execute()
}

function closedBy(db: Db, viewer: Viewer, mergeRequestId: number) {
  return db
    .selectFrom('merge_request_closes')
    .innerJoin('issues', 'issues.id', 'merge_request_closes.issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .where('merge_request_closes.merge_request_id', '=', mergeRequestId)
    .where(issuesVisibleTo(viewer))
}

/** Reviewers of merge requests, keyed by merge request, with the results of their reviews: one statement. */
export async function reviewersOf(
  db: Db,
  mergeRequestId: number,
): Promise<Array<{ user: UserInBrief; state: 'approved' | ReviewerState; created_at: Instant }>> {
  const found = await db
    .selectFrom('merge_request_reviewers as asked')
    .innerJoin('users', 'users.id', 'asked.user_id')
    .leftJoin('approvals', (join) =>
      join.onRef('approvals.user_id', '=', 'asked.user_id').onRef('approvals.merge_request_id', '=', 'asked.merge_request_id'),
    )
    .select(['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .select(['asked.created_at', 'asked.state as review_state', 'approvals.user_id as approved_by'])
    .where('asked.merge_request_id', '=', mergeRequestId)
    .orderBy('users.id')
    .execute()
  return found.map(({ created_at, review_state, approved_by, ...user }) => ({
    user,
    state: approved_by === null ? review_state : ('approved' as const),
    created_at,
  }))
}

/** The issues that it was last determined to close. */
export async function closedIssueIds(db: Db, mergeRequestId: number): Promise<number[]> {
  const found = await db.selectFrom('merge_request_closes').select('issue_id').where('merge_request_id', '=', mergeRequestId).execute()
  return found.map(({ issue_id }) => issue_id)
}

/** Replaces the issues that it closes. */
export async function replaceClosedIssues(tx: Tx, merge_request_id: number, issueIds: number[]): Promise<void> {
  await tx.deleteFrom('merge_request_closes').where('merge_request_id', '=', merge_request_id).execute()
  await addClosedIssues(tx, merge_request_id, issueIds)
}

export async function removeClosedIssues(tx: Tx, merge_request_id: number, issueIds: number[]): Promise<void> {
  if (issueIds.length === 0) return
  await tx.deleteFrom('merge_request_closes').where('merge_request_id', '=', merge_request_id).where('issue_id', 'in', issueIds).execute()
}
