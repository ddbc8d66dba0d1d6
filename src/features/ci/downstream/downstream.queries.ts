/** SQL for pipelines that bridges start. */
import type { Db } from '../../../db/database.ts'
import type { Pipeline } from '../../../db/tables.ts'

export async function pipelineById(db: Db, id: number): Promise<Pipeline | null> {
  return (await db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The pipeline that a bridge has started; null for none. */
export async function startedBy(db: Db, job_id: number): Promise<number | null> {
  const found = await db.selectFrom('ci_downstream_pipelines').select('pipeline_id').where('job_id', '=', job_id).executeTakeFirst()
  return found?.pipeline_id ?? null
}

/** The bridge that has started a pipeline; null for none. */
export async function starterOf(db: Db, pipeline_id: number): Promise<number | null> {
  const found = await db.selectFrom('ci_downstream_pipelines').select('job_id').where('pipeline_id', '=', pipeline_id).executeTakeFirst()
  return found?.job_id ?? null
}

/** The pipeline, the one that started it by a bridge, and so on, up to a maximum. */
export async function lineageOf(db: Db, pipeline: Pipeline, max: number): Promise<Pipeline[]> {
  const lineage = [pipeline]
  for (let last = pipeline; lineage.length < max; ) {
    const above = await db
      .selectFrom('ci_downstream_pipelines')
      .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_downstream_pipelines.job_id')
      .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
      .selectAll('pipelines')
      .where('ci_downstream_pipelines.pipeline_id', '=', last.id)
      .executeTakeFirst()
    if (!above) break
    lineage.push(above)
    last = above
  }
  return lineage
}

export function variablesOf(db: Db, pipeline_id: number) {
  return db.selectFrom('ci_pipeline_variables').selectAll().where('pipeline_id', '=', pipeline_id).execute()
}

export async function describe(db: Db, job_id: number, description: string): Promise<void> {
  await db.updateTable('commit_statuses').set({ description }).where('id', '=', job_id).execute()
}

export async function noteDownstreamProject(db: Db, job_id: number, downstream_project_id: number): Promise<void> {
  await db.updateTable('ci_jobs').set({ downstream_project_id }).where('id', '=', job_id).execute()
}

/** Unfinished pipelines of the project that bridges of this one started. */
export async function openChildren(db: Db, { id, project_id }: Pick<Pipeline, 'id' | 'project_id'>): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_downstream_pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_downstream_pipelines.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_downstream_pipelines.pipeline_id')
    .select('pipelines.id')
    .where('ci_jobs.pipeline_id', '=', id)
    .where('pipelines.project_id', '=', project_id)
    .where('pipelines.status', 'not in', ['success', 'failed', 'canceled', 'skipped'])
    .execute()
  return rows.map((row) => row.id)
}
