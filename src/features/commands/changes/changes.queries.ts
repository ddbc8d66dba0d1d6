/** SQL for the merge requests of a commit, and of the commits that were deployed. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
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

/** Merge requests that were merged by one of the commits: a merge commit, a squash commit or, after a fast-forward, their head. Newest first. */
export function mergeRequestsMergedBy(
  db: Db,
  project_id: number,
  oids: readonly string[],
  page: PageOf,
): Promise<{ rows: MergeRequest[]; total: number }> {
  const found = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('state', '=', 'merged')
    .where((eb) =>
      eb.or([
        among(db, 'merge_commit_oid', oids),
        eb.and([eb('merge_commit_oid', 'is', null), among(db, 'squash_commit_oid', oids)]),
        eb.and([eb('merge_commit_oid', 'is', null), eb('squash_commit_oid', 'is', null), among(db, 'head_oid', oids)]),
      ]),
    )
  return paginate(found.orderBy('id', 'desc'), page)
}
