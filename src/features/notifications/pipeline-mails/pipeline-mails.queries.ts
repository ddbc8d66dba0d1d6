/** SQL for mail about pipelines. */
import type { Db } from '../../../db/database.ts'
import type { Pipeline } from '../../../db/tables.ts'

/** The result of the previous pipeline on its branch or tag; null if there is none. */
export async function endingBefore(db: Db, { id, project_id, ref, tag }: Pipeline): Promise<'failed' | 'success' | null> {
  const before = await db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('id', '<', id)
    .where('source', '<>', 'parent_pipeline')
    .where('status', 'in', ['failed', 'success'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (before?.status as 'failed' | 'success' | undefined) ?? null
}

/** Jobs that made a pipeline fail, ordered by stage. */
export function failedJobsOf(db: Db, pipeline_id: number, limit: number): Promise<Array<{ name: string; stage: string }>> {
  return db
    .selectFrom('commit_statuses')
    .select(['name', 'stage'])
    .where('pipeline_id', '=', pipeline_id)
    .where('status', '=', 'failed')
    .where('retried', '=', false)
    .where('allow_failure', '=', false)
    .orderBy('stage_idx')
    .orderBy('id')
    .limit(limit)
    .execute()
}
