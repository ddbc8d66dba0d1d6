/** SQL for the merge request of a pipeline. It is here because the wing of merge requests comes after this one. */
import type { Db } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

/** Null for pipelines of branches and tags. */
export async function mergeRequestOf(db: Db, { merge_request_id }: { merge_request_id: number | null }): Promise<MergeRequest | null> {
  if (merge_request_id === null) return null
  return (await db.selectFrom('merge_requests').selectAll().where('id', '=', merge_request_id).executeTakeFirst()) ?? null
}

/** Full path of the source project, which may be a fork; null if it was deleted. */
export async function sourcePathOf(db: Db, { source_project_id }: Pick<MergeRequest, 'source_project_id'>): Promise<string | null> {
  if (source_project_id === null) return null
  const found = await db.selectFrom('routes').select('path').where('project_id', '=', source_project_id).executeTakeFirst()
  return found?.path ?? null
}

/** Facts about the merge request for variables. */
export async function requestFactsOf(db: Db, pipeline: { merge_request_id: number | null }) {
  const merge_request = await mergeRequestOf(db, pipeline)
  return { merge_request, source_path: merge_request && (await sourcePathOf(db, merge_request)) }
}
