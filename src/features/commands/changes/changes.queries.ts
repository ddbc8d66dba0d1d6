/** SQL for the merge requests of a commit. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

/** Merge requests of the project that contain the commit: in their newest version, or as the commit that merged them. Newest first. */
export function mergeRequestsOfCommit(
  db: Db,
  project_id: number,
  oid: string,
  state: MergeRequest['state'] | undefined,
  page: PageOf,
): Promise<{ rows: MergeRequest[]; total: number }> {
  const found = db
    .selectFrom('merge_requests')
    .selectAll('merge_requests')
    .where('project_id', '=', project_id)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('merge_request_version_commits as listed')
        .innerJoin('merge_request_versions as version', 'version.id', 'listed.version_id')
        .select('version.merge_request_id as id')
        .where('listed.oid', '=', oid)
        .where('version.id', '=', (newest) =>
          newest
            .selectFrom('merge_request_versions as other')
            .select(({ fn }) => fn.max('other.id').as('id'))
            .whereRef('other.merge_request_id', '=', 'version.merge_request_id'),
        )
        .union(eb.selectFrom('merge_requests as merged').select('merged.id').where('merged.merge_commit_oid', '=', oid))
        .union(eb.selectFrom('merge_requests as squashed').select('squashed.id').where('squashed.squash_commit_oid', '=', oid)),
    )
    .orderBy('id', 'desc')
  return paginate(state ? found.where('state', '=', state) : found, page)
}
