/** SQL for issues and what belongs to them. */
import { type Expression, type Insertable, type SqlBool, sql, type Updateable } from 'kysely'
import { mayUse } from '../../../access/features.ts'
import type { ProjectAccess } from '../../../access/find.ts'
import { withMemberships } from '../../../access/memberships.ts'
import { may } from '../../../access/permissions.ts'
import { isNotByBanned, isSeenAlone, issuesVisibleTo, mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Instant, Issue, IssueTable } from '../../../db/tables.ts'
import type { InNotes } from '../../noteable-kind.ts'

/** Null, too, where a banned user wrote it and the viewer is no administrator. */
export async function issueByIid(db: Db, project_id: number, iid: number, viewer: Viewer): Promise<Issue | null> {
  const found = db.selectFrom('issues').selectAll().where('project_id', '=', project_id).where('iid', '=', iid)
  return (await found.where(isNotByBanned('issues.author_id', viewer)).executeTakeFirst()) ?? null
}

export async function issueById(db: Db, id: number): Promise<Issue | null> {
  return (await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Locked until the transaction ends; null if it was deleted meanwhile. */
export async function lockIssue(tx: Tx, id: number): Promise<Issue | null> {
  return (await lockedRows(tx, tx.selectFrom('issues').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export function insertIssue(tx: Tx, issue: Insertable<IssueTable>): Promise<Issue> {
  return tx.insertInto('issues').values(issue).returningAll().executeTakeFirstOrThrow()
}

export function updateIssue(tx: Tx, id: number, change: Updateable<IssueTable>): Promise<Issue> {
  return tx.updateTable('issues').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteIssue(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('issues').where('id', '=', id).execute()
}

/** Removes a milestone from all its issues, and returns each before and after. */
export async function clearMilestone(tx: Tx, milestoneId: number, at: Instant): Promise<Array<{ before: Issue; issue: Issue }>> {
  const found = await lockedRows(tx, tx.selectFrom('issues').selectAll().where('milestone_id', '=', milestoneId).orderBy('id')).execute()
  const change = { milestone_id: null, updated_at: at }
  await tx.updateTable('issues').set(change).where('milestone_id', '=', milestoneId).execute()
  return found.map((before) => ({ before, issue: { ...before, ...change } }))
}

/** The rows with these ids, in any order. */
export const issuesByIds = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('issues')
    .selectAll()
    .where(among(db, 'id', ids)),
)

/** The projects of these issues, without issues that the viewer can't see. No statement for no issues. */
export async function placesOfIssues(db: Db, viewer: Viewer, ids: number[]): Promise<Map<number, Pick<Issue, 'project_id' | 'iid'>>> {
  if (ids.length === 0) return new Map()
  const found = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', 'issues.project_id', 'issues.iid'])
    .where('issues.id', 'in', ids)
    .where(issuesVisibleTo(await withMemberships(db, viewer)))
    .execute()
  return new Map(found.map(({ id, project_id, iid }) => [id, { project_id, iid }]))
}

/** How many merge requests that the viewer can see close each issue. One statement if there are none. */
export async function closingCounts(db: Db, viewer: Viewer, issueIds: number[]): Promise<Map<number, number>> {
  const found = await closings(db, issueIds)
  if (found.length === 0) return new Map()
  const visible = await db
    .selectFrom('projects')
    .select('projects.id')
    .where(among(db, 'projects.id', [...new Set(found.map(({ project_id }) => project_id))]))
    .where(mergeRequestsVisibleTo(await withMemberships(db, viewer)))
    .execute()
  const ids = new Set(visible.map(({ id }) => id))
  const counts = new Map<number, number>()
  for (const { issue_id, project_id, number } of found)
    if (ids.has(project_id)) counts.set(issue_id, (counts.get(issue_id) ?? 0) + Number(number))
  return counts
}

/** How many merge requests of each project close each issue, without an access check. */
const closings = prepared((db: Db, issueIds: readonly number[]) =>
  db
    .selectFrom('merge_request_closes')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_closes.merge_request_id')
    .select(['merge_request_closes.issue_id', 'merge_requests.project_id', sql<number>`cast(count(*) as bigint)`.as('number')])
    .where(among(db, 'merge_request_closes.issue_id', issueIds))
    .groupBy(['merge_request_closes.issue_id', 'merge_requests.project_id']),
)

export async function pathsOfProjects(db: Db, ids: number[]): Promise<Map<number, string>> {
  const found = await db.selectFrom('routes').select(['project_id', 'path']).where('project_id', 'in', ids).execute()
  return new Map(found.map(({ project_id, path }) => [project_id as number, path]))
}

/**
 * Notes on the issues of one project that the viewer can see. The viewer's level is known, so the query only
 * has conditions that the level doesn't decide.
 */
export function notesOnVisibleIssues(eb: InNotes, viewer: Viewer, access: ProjectAccess): Expression<SqlBool> | null {
  if (!mayUse('issues', access)) return null
  const shown = eb
    .selectFrom('issues')
    .select('issues.id')
    .where('issues.project_id', '=', access.project.id)
    .where(isNotByBanned('issues.author_id', viewer))
  if (may('read_confidential_issues', access.level))
    return viewer?.admin ? eb('notes.issue_id', 'is not', null) : eb('notes.issue_id', 'in', shown)
  const seen = shown.where(isSeenAlone(viewer))
  return eb('notes.issue_id', 'in', seen)
}
