/** SQL for merge requests by source branch, and the number of open ones in a project: for links on pages. */
import { sql } from 'kysely'
import { mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { MergeRequest } from '../../../db/tables.ts'

/** The name of a merge request, and its source branch. */
export type ProposedBranch = Pick<MergeRequest, 'iid' | 'title' | 'source_branch'> & { project_path: string }

/** The newest open merge request from each of these branches, keyed by branch, limited to those that the viewer can see: one statement. */
export async function openProposalsOf(
  db: Db,
  viewer: Viewer,
  sourceProjectId: number,
  branches: readonly string[],
): Promise<Map<string, ProposedBranch>> {
  if (branches.length === 0) return new Map()
  const rows = await db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('routes', 'routes.project_id', 'merge_requests.project_id')
    .select(['merge_requests.iid', 'merge_requests.title', 'merge_requests.source_branch', 'routes.path as project_path'])
    .where('merge_requests.source_project_id', '=', sourceProjectId)
    .where('merge_requests.source_branch', 'in', branches)
    .where('merge_requests.state', 'in', ['opened', 'locked'])
    .where(mergeRequestsVisibleTo(viewer))
    .orderBy('merge_requests.id')
    .execute()
  return new Map(rows.map((row) => [row.source_branch, row]))
}

/** The number of open ones, including those that are being merged: one statement, cached until one is written. */
export async function countOpenMergeRequests(db: Db, projectId: number): Promise<number> {
  return (await openCount(db, projectId))[0]?.count ?? 0
}

const openCount = prepared((db: Db, projectId: number) =>
  db
    .selectFrom('merge_request_counts')
    .select(sql<number>`cast(coalesce(sum(number), 0) as bigint)`.as('count'))
    .where('project_id', '=', projectId)
    .where('state', 'in', ['opened', 'locked'])
    // Names the table whose triggers maintain the counts, for the cache.
    .where(sql<boolean>`1 = 1 /* merge_requests */`),
)
