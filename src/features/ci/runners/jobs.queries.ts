/** SQL for the jobs of a runner. */
import { jobsOfMemberRule } from '../../../access/rules.ts'
import { type Viewer, visibleBy } from '../../../access/visible.ts'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { CommitStatus, Pipeline } from '../../../db/tables.ts'

export const runnerJobStatuses = [
  'created',
  'waiting_for_resource',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const

export interface JobOfRunnerRow extends CommitStatus {
  pipeline_ref: string
  pipeline_status: Pipeline['status']
  author_name: string | null
  author_username: string | null
}

interface JobFilter {
  status?: CommitStatus['status'] | undefined
  sort?: 'asc' | 'desc' | undefined
  system_id?: string | undefined
}

/** In projects whose jobs the viewer may see as a member; administrators see all. Newest first: at most three statements. */
export async function jobsOfRunner(
  db: Db,
  runner_id: number,
  viewer: NonNullable<Viewer>,
  { status, sort = 'desc', system_id }: JobFilter,
  page: PageOf,
): Promise<Found<JobOfRunnerRow>> {
  // Only jobs have a runner, so an index is enough to count them.
  let found = db.selectFrom('commit_statuses').where('runner_id', '=', runner_id)
  if (status) found = found.where('status', '=', status)
  if (!viewer.admin)
    found = found.where('project_id', 'in', (eb) =>
      eb.selectFrom('projects').select('projects.id').where(visibleBy(jobsOfMemberRule, viewer)),
    )
  if (system_id !== undefined)
    found = found.where('id', 'in', (eb) =>
      eb
        .selectFrom('ci_jobs')
        .innerJoin('ci_runner_managers', 'ci_runner_managers.id', 'ci_jobs.runner_manager_id')
        .select('ci_jobs.id')
        .where('ci_runner_managers.runner_id', '=', runner_id)
        .where('ci_runner_managers.system_id', '=', system_id),
    )
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => found.orderBy('id', directed(sort, isReversed)).select('id')
  return { rows: await pageOfList(db, ids, { ...page, total }, jobsById), total }
}

const jobsById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('commit_statuses')
    .innerJoin('pipelines', 'pipelines.id', 'commit_statuses.pipeline_id')
    .leftJoin('users', 'users.id', 'commit_statuses.author_id')
    .selectAll('commit_statuses')
    .select(['pipelines.ref as pipeline_ref', 'pipelines.status as pipeline_status'])
    .select(['users.name as author_name', 'users.username as author_username'])
    .where(among(db, 'commit_statuses.id', ids)),
)
