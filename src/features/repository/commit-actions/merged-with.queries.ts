/** SQL for the merge request of a merge commit. */
import { withMemberships } from '../../../access/memberships.ts'
import { mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

/** The merge request of the project that was merged by this commit, if the viewer can see it. */
export async function mergedWith(
  db: Db,
  viewer: Viewer,
  project_id: number,
  merge_commit_oid: string,
): Promise<Pick<MergeRequest, 'id' | 'iid'> | null> {
  const found = db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select(['merge_requests.id', 'merge_requests.iid'])
    .where('merge_requests.project_id', '=', project_id)
    .where('merge_requests.merge_commit_oid', '=', merge_commit_oid)
    .where(mergeRequestsVisibleTo(await withMemberships(db, viewer)))
  return (await found.executeTakeFirst()) ?? null
}

/** The commits of its newest version, the newest first. */
export async function commitsOfNewestVersion(db: Db, merge_request_id: number, max: number): Promise<string[]> {
  const found = db
    .selectFrom('merge_request_version_commits')
    .select('oid')
    .where('version_id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('merge_request_id', '=', merge_request_id),
    )
    .orderBy('position')
    .limit(max)
  return (await found.execute()).map(({ oid }) => oid)
}
