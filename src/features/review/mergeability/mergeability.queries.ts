/** SQL for obstacles of merges. */
import type { Db, Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { MergeRequest, Pipeline } from '../../../db/tables.ts'

/** Whether it has an unresolved discussion that everyone can see. */
export async function hasOpenDiscussions(db: Db, merge_request_id: number): Promise<boolean> {
  const found = await db
    .selectFrom('notes')
    .select('id')
    .where('merge_request_id', '=', merge_request_id)
    .where('type', 'is not', null)
    .where('system', '=', false)
    .where('internal', '=', false)
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * The pipeline that counts for a tip of its source branch: the newest of the merge request itself, which may build the result of merging;
 * without one the newest of that commit, with jobs or external statuses.
 * @param place only of this project; without it, of the source and the target
 */
export async function headPipelineOf(
  db: Db,
  { id, project_id, source_project_id }: Pick<MergeRequest, 'id' | 'project_id' | 'source_project_id'>,
  head_oid: string,
  place: number | null = null,
): Promise<Pipeline | null> {
  const places = place === null ? [project_id, source_project_id ?? project_id] : [place]
  const found = db
    .selectFrom('pipelines')
    .selectAll()
    .where('source', '<>', 'parent_pipeline')
    .where((eb) =>
      eb.or([
        eb.and([eb('merge_request_id', '=', id), eb('source_sha', '=', head_oid)]),
        eb.and([eb('project_id', 'in', places), eb('sha', '=', head_oid)]),
      ]),
    )
    .orderBy((eb) => eb.case().when('merge_request_id', '=', id).then(0).else(1).end())
    .orderBy('id', 'desc')
  return (await found.limit(1).executeTakeFirst()) ?? null
}

/** Null if it is no longer open. */
export async function saveStatus(
  tx: Tx,
  id: number,
  status: Pick<MergeRequest, 'merge_status' | 'checked_source_oid' | 'checked_target_oid'>,
): Promise<MergeRequest | null> {
  const saved = tx.updateTable('merge_requests').set(status).where('id', '=', id).where('state', '=', 'opened')
  return (await saved.returningAll().executeTakeFirst()) ?? null
}

/** Open merge requests between these branches and others of the project; the last changed first. */
export function openOnBranches(db: Db, project_id: number, branches: string[], limit: number): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('state', '=', 'opened')
    .where((eb) =>
      eb.or([
        eb.and([eb('project_id', '=', project_id), among(db, 'target_branch', branches)]),
        eb.and([eb('source_project_id', '=', project_id), among(db, 'source_branch', branches)]),
      ]),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
