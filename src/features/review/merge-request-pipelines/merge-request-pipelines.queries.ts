/** SQL for the pipelines of merge requests. */
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { MergeRequest, Pipeline } from '../../../db/tables.ts'

export interface PlacedPipeline extends Pipeline {
  full_path: string
}

/** The pipelines of the merge request itself, and those of its source branch for commits that were its newest; newest first. */
export async function pipelinesOf(db: Db, merge_request: MergeRequest, page: PageOf): Promise<Found<PlacedPipeline>> {
  const { id, source_project_id, source_branch } = merge_request
  const found = db
    .selectFrom('pipelines')
    .where((eb) =>
      eb.or([
        eb('pipelines.merge_request_id', '=', id).and('pipelines.source', '<>', 'parent_pipeline'),
        eb.and([
          eb('pipelines.project_id', '=', source_project_id ?? 0),
          eb('pipelines.ref', '=', source_branch),
          eb('pipelines.tag', '=', false),
          eb('pipelines.source', '<>', 'parent_pipeline'),
          eb(
            'pipelines.sha',
            'in',
            eb
              .selectFrom('merge_request_versions')
              .select('merge_request_versions.head_oid')
              .where('merge_request_versions.merge_request_id', '=', id),
          ),
        ]),
      ]),
    )
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = found.orderBy('pipelines.id', 'desc').select('pipelines.id')
  return { rows: await pageById(db, ids, page, pipelinesById), total }
}

function pipelinesById(db: Db, ids: readonly number[]): Promise<PlacedPipeline[]> {
  return db
    .selectFrom('pipelines')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .selectAll('pipelines')
    .select('routes.path as full_path')
    .where(among(db, 'pipelines.id', ids))
    .execute()
}

export async function hasPipelineFor(db: Db, merge_request_id: number, sha: string): Promise<boolean> {
  const found = await db
    .selectFrom('pipelines')
    .select('id')
    .where('merge_request_id', '=', merge_request_id)
    .where('sha', '=', sha)
    .where('source', '=', 'merge_request_event')
    .executeTakeFirst()
  return found !== undefined
}
