/** SQL for the merge requests that merged a changelog's commits. */
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'

/** The number of the oldest merge request of the project that merged each commit. One statement. */
export async function mergedWith(db: Db, project_id: number, oids: string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map()
  const merged = db.selectFrom('merge_requests').where('project_id', '=', project_id).where('state', '=', 'merged')
  const rows = await merged
    .select(['iid', 'merge_commit_oid as oid'])
    .where(among(db, 'merge_commit_oid', oids))
    .union(merged.select(['iid', 'squash_commit_oid as oid']).where(among(db, 'squash_commit_oid', oids)))
    .union(
      db
        .selectFrom('merge_request_version_commits as listed')
        .innerJoin('merge_request_versions as version', 'version.id', 'listed.version_id')
        .innerJoin('merge_requests as request', 'request.id', 'version.merge_request_id')
        .select(['request.iid', 'listed.oid'])
        .where('request.project_id', '=', project_id)
        .where('request.state', '=', 'merged')
        .where(among(db, 'listed.oid', oids)),
    )
    .execute()
  const found = new Map<string, number>()
  for (const { iid, oid } of rows.sort((one, other) => other.iid - one.iid)) if (oid !== null) found.set(oid, iid)
  return found
}
