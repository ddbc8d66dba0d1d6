/** SQL for jobs on pages: a fixed number of statements each, regardless of the number of jobs. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { CiJob, CommitStatus } from '../../../db/tables.ts'

/** A status of a pipeline, as graphs and lists show it. Fields of jobs are null for external statuses. */
export type ShownJob = CommitStatus &
  Pick<{ [K in keyof CiJob]: CiJob[K] | null }, 'when_to_run' | 'needs' | 'tags' | 'scheduled_at' | 'plan' | 'canceling_at'>

function jobs(db: Db) {
  return db
    .selectFrom('commit_statuses')
    .leftJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .selectAll('commit_statuses')
    .select(['ci_jobs.when_to_run', 'ci_jobs.needs', 'ci_jobs.tags', 'ci_jobs.scheduled_at', 'ci_jobs.plan', 'ci_jobs.canceling_at'])
}

/** The statuses of a pipeline, by stage; retried ones only with `retried`. */
export function jobsOfPipeline(db: Db, pipeline_id: number, { retried }: { retried: boolean }): Promise<ShownJob[]> {
  let query = jobs(db).where('commit_statuses.pipeline_id', '=', pipeline_id)
  if (!retried) query = query.where('commit_statuses.retried', '=', false)
  return query.orderBy('commit_statuses.stage_idx').orderBy('commit_statuses.name').orderBy('commit_statuses.id').execute()
}

/** The first jobs for which a pipeline failed: those that may not. */
export function failedJobsOf(db: Db, pipeline_id: number, limit: number): Promise<ShownJob[]> {
  return jobs(db)
    .where('commit_statuses.pipeline_id', '=', pipeline_id)
    .where('commit_statuses.retried', '=', false)
    .where('commit_statuses.status', '=', 'failed')
    .where('commit_statuses.allow_failure', '=', false)
    .orderBy('commit_statuses.stage_idx')
    .orderBy('commit_statuses.id')
    .limit(limit)
    .execute()
}

/** How many jobs of a stage are in which state, for lists of pipelines. */
export interface StageTally {
  pipeline_id: number
  stage: string
  stage_idx: number
  status: CommitStatus['status']
  allow_failure: boolean
  count: number
}

export async function stagesOf(db: Db, pipeline_ids: readonly number[]): Promise<StageTally[]> {
  if (pipeline_ids.length === 0) return []
  return db
    .selectFrom('commit_statuses')
    .select(['pipeline_id', 'stage', 'stage_idx', 'status', 'allow_failure', (eb) => eb.fn.countAll<number>().as('count')])
    .where('pipeline_id', 'in', pipeline_ids)
    .where('retried', '=', false)
    .groupBy(['pipeline_id', 'stage', 'stage_idx', 'status', 'allow_failure'])
    .orderBy('stage_idx')
    .execute()
}

/** A job of a project with its plan; null if there is none, or it is an external status. */
export async function findJobShown(db: Db, project_id: number, id: number): Promise<{ status: CommitStatus; job: CiJob } | null> {
  const status = await db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', project_id)
    .where('kind', '!=', 'external')
    .executeTakeFirst()
  const job = status && (await db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirst())
  return status && job ? { status, job } : null
}

/** Jobs of a project, newest first. Two statements. */
export async function listJobs(db: Db, project_id: number, statuses: readonly CommitStatus['status'][] | undefined, page: PageOf) {
  let query = jobs(db).where('commit_statuses.project_id', '=', project_id).where('commit_statuses.kind', '=', 'job')
  if (statuses) query = query.where('commit_statuses.status', 'in', statuses)
  return paginate(query.orderBy('commit_statuses.id', 'desc'), page)
}

/** The runner of a job, as its page shows it. */
export async function runnerOf(db: Db, runner_id: number | null) {
  if (runner_id === null) return null
  const found = await db.selectFrom('ci_runners').select(['id', 'description', 'kind']).where('id', '=', runner_id).executeTakeFirst()
  return found ?? null
}

/** The states of these jobs, keyed by id: one statement. */
export async function statusesOfJobs(db: Db, ids: readonly number[]): Promise<Map<number, CommitStatus>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('commit_statuses').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
