/** SQL for the queue of pending jobs, from the view of runners. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { prepared, rowsByKeptPlan } from '../../../db/prepared-queries.ts'

/** A value that changes when a job is added to the queue. One statement that reads the ends of two indexes. */
export async function newestOfQueue(db: Db): Promise<string> {
  const [newest] = await rowsByKeptPlan(
    db,
    db.selectNoFrom([
      sql<number | null>`(select max(job_id) from ci_queue)`.as('id'),
      sql<string | null>`(select max(created_at) from ci_queue)`.as('at'),
    ]),
  )
  return `${newest?.id ?? 0} ${newest?.at ?? ''}`
}

/** The pending jobs of one project that the same runners may take. */
export interface PendingGroup {
  project_id: number
  namespace_id: number
  /** As JSON, sorted. */
  tags: string
  protected: boolean
  /** The oldest of them. */
  first_job_id: number
  jobs: number
  shared_runners_enabled: boolean
  group_runners_enabled: boolean
}

/** Only for projects that have CI enabled. */
export function pendingGroups(db: Db): Promise<PendingGroup[]> {
  return db
    .selectFrom('ci_queue')
    .innerJoin('projects', 'projects.id', 'ci_queue.project_id')
    .select([
      'ci_queue.project_id',
      'projects.namespace_id',
      'ci_queue.tags',
      'ci_queue.protected',
      'projects.shared_runners_enabled',
      'projects.group_runners_enabled',
    ])
    .select((eb) => [eb.fn.min('ci_queue.job_id').as('first_job_id'), eb.fn.countAll<number>().as('jobs')])
    .where('projects.builds_access_level', '!=', 'disabled')
    .groupBy([
      'ci_queue.project_id',
      'projects.namespace_id',
      'ci_queue.tags',
      'ci_queue.protected',
      'projects.shared_runners_enabled',
      'projects.group_runners_enabled',
    ])
    .execute()
}

/** Which runners are enabled for these projects. */
export function runnersOfProjects(db: Db, ids: number[]): Promise<Array<{ project_id: number; runner_id: number }>> {
  return db.selectFrom('ci_runner_projects').select(['project_id', 'runner_id']).where('project_id', 'in', ids).execute()
}

export function ancestorsOf(db: Db, ids: number[]): Promise<Array<{ namespace_id: number; ancestor_id: number }>> {
  return db.selectFrom('namespace_ancestors').select(['namespace_id', 'ancestor_id']).where('namespace_id', 'in', ids).execute()
}

/** The oldest jobs of a group. */
export async function jobsOfGroup(db: Db, group: PendingGroup, limit: number): Promise<number[]> {
  const jobs = db
    .selectFrom('ci_queue')
    .select('job_id')
    .where('project_id', '=', group.project_id)
    .where('tags', '=', group.tags)
    .where('protected', '=', group.protected)
    .orderBy('job_id')
    .limit(limit)
  const rows = await rowsByKeptPlan(db, jobs)
  return rows.map(({ job_id }) => job_id)
}

/** How many jobs of each project are running on instance runners. */
export async function runningOnShared(db: Db, project_ids: number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('commit_statuses')
    .innerJoin('ci_runners', 'ci_runners.id', 'commit_statuses.runner_id')
    .select(['commit_statuses.project_id'])
    .select((eb) => eb.fn.countAll<number>().as('running'))
    .where('commit_statuses.project_id', 'in', project_ids)
    .where('commit_statuses.kind', '=', 'job')
    .where('commit_statuses.status', '=', 'running')
    .where('ci_runners.kind', '=', 'instance')
    .groupBy('commit_statuses.project_id')
    .execute()
  return new Map(rows.map(({ project_id, running }) => [project_id, Number(running)]))
}

const pendingJob = prepared((db: Db, id: number) =>
  db
    .selectFrom('ci_queue')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_queue.job_id')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_queue.job_id')
    .innerJoin('projects', 'projects.id', 'ci_queue.project_id')
    .leftJoin('users', 'users.id', 'commit_statuses.author_id')
    .select(['ci_jobs.plan', 'projects.build_timeout_s', 'users.state as user_state'])
    .where('ci_queue.job_id', '=', id),
)

/** A pending job with everything that decides which runner may take it. */
export async function jobToTake(db: Db, id: number) {
  return (await pendingJob(db, id))[0]
}

export async function isActive(db: Db, runner_id: number): Promise<boolean> {
  return (await db.selectFrom('ci_runners').select('active').where('id', '=', runner_id).executeTakeFirst())?.active ?? false
}
