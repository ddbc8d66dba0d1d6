/** SQL for tracing notes on diffs. */
import type { Db } from '../../../db/database.ts'

/** The project of the merge request, and its setting for outdated discussions. */
export function projectOfMergeRequest(db: Db, projectId: number) {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['routes.path', 'projects.resolve_outdated_diff_discussions'])
    .where('projects.id', '=', projectId)
    .executeTakeFirstOrThrow()
}

/** The heads of its versions, oldest first. */
export function versionsOf(db: Db, mergeRequestId: number) {
  return db
    .selectFrom('merge_request_versions')
    .select(['id', 'head_oid'])
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id')
    .execute()
}
