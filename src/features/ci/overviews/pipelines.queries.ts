/** SQL for pipelines on pages: a fixed number of statements each, regardless of the number of pipelines. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { Pipeline, PipelineStatus } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** A pipeline with the user who started it; null if there is none, or they were deleted. */
export interface ShownPipeline extends Pipeline {
  by: UserInBrief | null
}

export interface PipelineFilter {
  statuses?: readonly PipelineStatus[] | undefined
  ref?: string | undefined
  source?: string | undefined
  username?: string | undefined
  sha?: string | undefined
  schedule_id?: number | undefined
  merge_request_id?: number | undefined
}

const userColumns = [
  'users.id as by_id',
  'users.name as by_name',
  'users.username',
  'users.state',
  'users.kind as by_kind',
  'users.avatar_name',
] as const

interface WithUser {
  by_id: number | null
  by_name: string | null
  username: string | null
  state: UserInBrief['state'] | null
  by_kind: UserInBrief['kind'] | null
  avatar_name: string | null
}

function shown<Row extends object>(row: Row & WithUser): Omit<Row, keyof WithUser> & { by: UserInBrief | null } {
  const { by_id, by_name, username, state, by_kind, avatar_name, ...rest } = row
  const isThere = by_id !== null && by_name !== null && username !== null && state !== null && by_kind !== null
  return { ...rest, by: isThere ? { id: by_id, name: by_name, username, state, kind: by_kind, avatar_name } : null }
}

function pipelinesWithUsers(db: Db) {
  return db.selectFrom('pipelines').leftJoin('users', 'users.id', 'pipelines.user_id').selectAll('pipelines').select(userColumns)
}

/** Pipelines of a project, newest first. Two statements. */
export async function listPipelines(
  db: Db,
  project_id: number,
  filter: PipelineFilter,
  page: PageOf,
): Promise<{ rows: ShownPipeline[]; total: number }> {
  const { statuses, ref, source, username, sha, schedule_id, merge_request_id } = filter
  let query = pipelinesWithUsers(db).where('pipelines.project_id', '=', project_id)
  if (statuses) query = query.where('pipelines.status', 'in', statuses)
  if (ref) query = query.where('pipelines.ref', '=', ref)
  if (source) query = query.where('pipelines.source', '=', source)
  if (username) query = query.where('users.username', '=', username)
  if (sha) query = query.where('pipelines.sha', '=', sha)
  if (schedule_id) query = query.where('pipelines.schedule_id', '=', schedule_id)
  if (merge_request_id) query = query.where('pipelines.merge_request_id', '=', merge_request_id)
  const { rows, total } = await paginate(query.orderBy('pipelines.id', 'desc'), page)
  return { rows: rows.map(shown), total }
}

/** A pipeline of a project by id; null if there is none. */
export async function findPipelineShown(db: Db, project_id: number, id: number): Promise<ShownPipeline | null> {
  const found = await pipelinesWithUsers(db)
    .where('pipelines.project_id', '=', project_id)
    .where('pipelines.id', '=', id)
    .executeTakeFirst()
  return found ? shown(found) : null
}

/** A pipeline of any project, with its path: for upstream and downstream pipelines. */
export interface LinkedPipeline {
  id: number
  project_id: number
  full_path: string
  status: PipelineStatus
  name: string | null
  /** The bridge between the two. */
  job_id: number
}

const linkColumns = [
  'pipelines.id',
  'pipelines.project_id',
  'routes.path as full_path',
  'pipelines.status',
  'pipelines.name',
  'ci_downstream_pipelines.job_id',
] as const

/** The pipelines that the bridges of a pipeline have started. The caller must show only those in projects that the reader can see. */
export function downstreamOf(db: Db, pipeline_id: number): Promise<LinkedPipeline[]> {
  return db
    .selectFrom('ci_downstream_pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_downstream_pipelines.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_downstream_pipelines.pipeline_id')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .select(linkColumns)
    .where('ci_jobs.pipeline_id', '=', pipeline_id)
    .orderBy('pipelines.id')
    .limit(200)
    .execute()
}

/** The pipeline whose bridge has started this one; null if there is none. */
export async function upstreamOf(db: Db, pipeline_id: number): Promise<LinkedPipeline | null> {
  const found = await db
    .selectFrom('ci_downstream_pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_downstream_pipelines.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .select(linkColumns)
    .where('ci_downstream_pipelines.pipeline_id', '=', pipeline_id)
    .executeTakeFirst()
  return found ?? null
}

/** Null if there is no such pipeline. */
export async function projectOfPipeline(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('pipelines').select('project_id').where('id', '=', id).executeTakeFirst()
  return found?.project_id ?? null
}

/** Null if there is no such job. */
export async function projectOfJob(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('ci_jobs').select('project_id').where('id', '=', id).executeTakeFirst()
  return found?.project_id ?? null
}
