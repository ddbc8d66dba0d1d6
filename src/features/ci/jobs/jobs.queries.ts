/** SQL for jobs and bridges as they are displayed. */
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { CommitStatus, Pipeline, PipelineStatus, User } from '../../../db/tables.ts'

export type Kind = 'job' | 'bridge'

export interface JobFilter {
  kind: Kind
  /** Empty for all. */
  statuses: readonly PipelineStatus[]
  /** Only those of this pipeline. */
  pipeline_id?: number
  /** Only jobs that need this resource group. */
  resource_group_id?: number
  /** Whether jobs that others followed are among them. */
  include_retried: boolean
  sort: 'asc' | 'desc'
}

/** A job as its readers see it, without data of other rows. */
export interface ShownJob extends CommitStatus {
  tags: string
  erased_at: string | null
  artifacts_expire_at: string | null
  canceling_at: string | null
}

/** One page of the jobs of a project: at most three statements. */
export async function listJobs(db: Db, project_id: number, filter: JobFilter, page: PageOf): Promise<Found<ShownJob>> {
  const { kind, statuses, pipeline_id, resource_group_id, include_retried, sort } = filter
  let found = db.selectFrom('commit_statuses').where('project_id', '=', project_id).where('kind', '=', kind)
  if (pipeline_id !== undefined) found = found.where('pipeline_id', '=', pipeline_id)
  if (resource_group_id !== undefined)
    found = found.where('id', 'in', (eb) => eb.selectFrom('ci_jobs').select('id').where('resource_group_id', '=', resource_group_id))
  if (statuses.length > 0) found = found.where('status', 'in', [...statuses])
  if (!include_retried) found = found.where('retried', '=', false)
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => found.orderBy('id', directed(sort, isReversed)).select('id')
  return { rows: await pageOfList(db, ids, { ...page, total }, jobsById), total }
}

const jobsById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('commit_statuses')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .selectAll('commit_statuses')
    .select(['ci_jobs.tags', 'ci_jobs.erased_at', 'ci_jobs.artifacts_expire_at', 'ci_jobs.canceling_at'])
    .where(among(db, 'commit_statuses.id', ids)),
)

/** Null if there is no such job in the project. */
export async function findShownJob(db: Db, project_id: number, id: number, kinds: readonly Kind[]): Promise<ShownJob | null> {
  const [found] = await jobsById(db, [id])
  return found && found.project_id === project_id && kinds.some((kind) => kind === found.kind) ? found : null
}

/** Keyed by id. */
export async function pipelinesAmong(db: Db, ids: readonly number[]): Promise<Map<number, Pipeline>> {
  return byId(await pipelinesById(db, unique(ids)))
}

export async function usersAmong(db: Db, ids: readonly (number | null)[]): Promise<Map<number, User>> {
  return byId(await usersById(db, unique(ids)))
}

export async function runnersAmong(db: Db, ids: readonly (number | null)[]) {
  return byId(await runnersById(db, unique(ids)))
}

const pipelinesById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where(among(db, 'id', ids)),
)

const usersById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .selectAll()
    .where(among(db, 'id', ids)),
)

const runnersById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('ci_runners')
    .select(['id', 'kind', 'description', 'ip_address', 'active', 'name', 'contacted_at'])
    .where(among(db, 'id', ids)),
)

const unique = (ids: readonly (number | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))]

function byId<R extends { id: number }>(rows: readonly R[]): Map<number, R> {
  return new Map(rows.map((row) => [row.id, row]))
}

/** The pipelines that bridges started, keyed by bridge, with the paths of their projects. */
export async function downstreamsOf(db: Db, job_ids: readonly number[]) {
  const rows = await db
    .selectFrom('ci_downstream_pipelines')
    .innerJoin('pipelines', 'pipelines.id', 'ci_downstream_pipelines.pipeline_id')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .selectAll('pipelines')
    .select(['ci_downstream_pipelines.job_id', 'routes.path as full_path'])
    .where(among(db, 'ci_downstream_pipelines.job_id', job_ids))
    .execute()
  return new Map(rows.map((row) => [row.job_id, row]))
}
