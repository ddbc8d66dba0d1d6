/** SQL for notes about mentions. */
import type { Db } from '../../../db/database.ts'

/** Which of the issues have a note about their mention in another one. */
export async function issuesThatKnow(db: Db, aboutIssueId: number, issueIds: number[]): Promise<Set<number>> {
  const found = await db
    .selectFrom('notes')
    .select('issue_id')
    .where('about_issue_id', '=', aboutIssueId)
    .where('issue_id', 'in', issueIds)
    .where('system_action', '=', 'cross_reference')
    .execute()
  return new Set(found.flatMap(({ issue_id }) => issue_id ?? []))
}

/** Which of the issues have a note about their mention in a commit: in whichever project, as forks have the same commits. */
export async function issuesThatKnowCommit(db: Db, oid: string, issueIds: number[]): Promise<Set<number>> {
  const found = await db
    .selectFrom('notes')
    .select('issue_id')
    .where('issue_id', 'in', issueIds)
    .where('about_project_id', 'is not', null)
    .where('system_action', '=', 'cross_reference')
    .where('body', 'like', `mentioned in commit %${oid}`)
    .execute()
  return new Set(found.flatMap(({ issue_id }) => issue_id ?? []))
}
