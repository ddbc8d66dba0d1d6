/** SQL for the jobs that deploy to environments, and stop them. */
import type { PlannedJob } from '../../../ci/plan.ts'
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { CiEnvironment, CiJob, CommitStatus, Pipeline } from '../../../db/tables.ts'

export interface DeployingJob {
  id: number
  environment_id: number
  /** As JSON. */
  plan: string
}

/** The given jobs that have an environment. */
export async function deployingJobs(db: Db, ids: readonly number[]): Promise<DeployingJob[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('ci_jobs')
    .select(['id', 'environment_id', 'plan'])
    .where(among(db, 'id', ids))
    .where('environment_id', 'is not', null)
    .execute()
  return rows.map(({ id, environment_id, plan }) => ({ id, environment_id: environment_id as number, plan }))
}

export async function setEnvironment(db: Db, job_ids: readonly number[], environment_id: number): Promise<void> {
  await db
    .updateTable('ci_jobs')
    .set({ environment_id })
    .where(among(db, 'id', job_ids))
    .execute()
}

/** The current job with this name in the pipeline of another job. */
export async function jobBeside(db: Db, job_id: number, name: string): Promise<CommitStatus | null> {
  const found = await db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('pipeline_id', '=', (eb) =>
      eb.selectFrom('commit_statuses as beside').select('beside.pipeline_id').where('beside.id', '=', job_id),
    )
    .where('name', '=', name)
    .where('kind', '=', 'job')
    .where('retried', '=', false)
    .executeTakeFirst()
  return found ?? null
}

/** Other current manual jobs in the same pipeline that start something in the environment. */
export async function manualJobsBeside(db: Db, job_id: number, environment_id: number): Promise<CommitStatus[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .selectAll('commit_statuses')
    .select('ci_jobs.plan')
    .where('commit_statuses.pipeline_id', '=', (eb) =>
      eb.selectFrom('commit_statuses as beside').select('beside.pipeline_id').where('beside.id', '=', job_id),
    )
    .where('commit_statuses.id', '<>', job_id)
    .where('commit_statuses.retried', '=', false)
    .where('ci_jobs.environment_id', '=', environment_id)
    .where('ci_jobs.when_to_run', '=', 'manual')
    .orderBy('commit_statuses.id')
    .execute()
  return rows.filter(({ plan }) => (JSON.parse(plan) as PlannedJob).environment?.action === 'start')
}

export type DeployableRow = CommitStatus & { pipeline_status: string }

/** These jobs with the status of their pipelines. No statement if there are none. */
export async function deployablesOf(db: Db, ids: readonly number[]): Promise<Map<number, DeployableRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('commit_statuses')
    .innerJoin('pipelines', 'pipelines.id', 'commit_statuses.pipeline_id')
    .selectAll('commit_statuses')
    .select('pipelines.status as pipeline_status')
    .where(among(db, 'commit_statuses.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The job with its pipeline and its environment; null if it has none. */
export async function deployedBy(db: Db, job_id: number): Promise<{ job: CiJob; pipeline: Pipeline; environment: CiEnvironment } | null> {
  const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', job_id).executeTakeFirst()
  if (!job || job.environment_id === null) return null
  const pipeline = await db.selectFrom('pipelines').selectAll().where('id', '=', job.pipeline_id).executeTakeFirst()
  const environment = await db.selectFrom('ci_environments').selectAll().where('id', '=', job.environment_id).executeTakeFirst()
  return pipeline && environment ? { job, pipeline, environment } : null
}
