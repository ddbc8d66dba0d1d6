/** SQL for advancing pipelines. */
import { type Insertable, sql, type Updateable } from 'kysely'
import type { JobWhen } from '../../../ci/plan.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { prepared, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type {
  CiJob,
  CiJobTable,
  CommitStatus,
  CommitStatusTable,
  Instant,
  Pipeline,
  PipelineStatus,
  PipelineTable,
} from '../../../db/tables.ts'

/** The pipeline of a job, locked until the transaction ends. Null if there is no such job. */
export async function lockPipelineOf(tx: Tx, job_id: number): Promise<Pipeline | null> {
  const locked = tx
    .updateTable('pipelines')
    .set({ id: sql`id` })
    .where('id', '=', (eb) => eb.selectFrom('ci_jobs').select('pipeline_id').where('ci_jobs.id', '=', job_id))
    .returningAll()
  return (await rowsByKeptPlan(tx, locked))[0] ?? null
}

/** Locked until the transaction ends; null if it was deleted. */
export async function lockPipeline(tx: Tx, id: number): Promise<Pipeline | null> {
  const locked = tx.updateTable('pipelines').set({ id: sql`id` }).where('id', '=', id).returningAll()
  return (await rowsByKeptPlan(tx, locked))[0] ?? null
}

export interface LiveStatus {
  id: number
  kind: CommitStatus['kind']
  name: string
  stage_idx: number
  status: PipelineStatus
  allow_failure: boolean
  coverage: number | null
  started_at: Instant | null
  finished_at: Instant | null
  /** Null for external statuses. */
  when_to_run: JobWhen | null
  /** As JSON. */
  needs: string | null
  interruptible: boolean | null
  cancels_gracefully: boolean | null
  canceling_at: Instant | null
  resource_group_id: number | null
  environment_id: number | null
}

/** The newest status of each name in a pipeline. */
export function liveStatuses(db: Db, pipeline_id: number): Promise<LiveStatus[]> {
  const live = db
    .selectFrom('commit_statuses')
    .leftJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .select([
      'commit_statuses.id',
      'commit_statuses.kind',
      'commit_statuses.name',
      'commit_statuses.stage_idx',
      'commit_statuses.status',
      'commit_statuses.allow_failure',
      'commit_statuses.coverage',
      'commit_statuses.started_at',
      'commit_statuses.finished_at',
      'ci_jobs.when_to_run',
      'ci_jobs.needs',
      'ci_jobs.interruptible',
      'ci_jobs.cancels_gracefully',
      'ci_jobs.canceling_at',
      'ci_jobs.resource_group_id',
      'ci_jobs.environment_id',
    ])
    .where('commit_statuses.pipeline_id', '=', pipeline_id)
    .where('commit_statuses.retried', '=', false)
    .orderBy('commit_statuses.id')
  return rowsByKeptPlan(db, live)
}

/** Pipelines with jobs of a user in one of these statuses, the oldest first. */
export async function pipelinesOfAuthor(db: Db, user_id: number, among: readonly PipelineStatus[]): Promise<number[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .select('pipeline_id')
    .distinct()
    .where('author_id', '=', user_id)
    .where('status', 'in', among)
    .where('kind', '<>', 'external')
    .orderBy('pipeline_id')
    .execute()
  return rows.map(({ pipeline_id }) => pipeline_id)
}

/** The jobs of a pipeline that act as this user. */
export async function jobsOfAuthor(db: Db, pipeline_id: number, user_id: number): Promise<number[]> {
  const statuses = db.selectFrom('commit_statuses').select('id').where('pipeline_id', '=', pipeline_id)
  return (await statuses.where('author_id', '=', user_id).execute()).map(({ id }) => id)
}

export async function updateStatuses(tx: Tx, ids: readonly number[], change: Updateable<CommitStatusTable>): Promise<void> {
  for (const some of slices(ids)) await tx.updateTable('commit_statuses').set(change).where('id', 'in', some).execute()
}

/** Splits ids into slices, since engines limit the parameters of a statement. */
function* slices(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += 5_000) yield ids.slice(at, at + 5_000)
}

/** Adds pending jobs to the queue for runners. */
export async function insertIntoQueue(tx: Tx, ids: readonly number[], at: Instant): Promise<void> {
  for (const some of slices(ids))
    await tx
      .insertInto('ci_queue')
      .columns(['job_id', 'project_id', 'tags', 'protected', 'created_at'])
      .expression((eb) =>
        eb
          .selectFrom('ci_jobs')
          .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
          .select(['ci_jobs.id', 'ci_jobs.project_id', 'ci_jobs.tags', 'commit_statuses.protected'])
          .select(sql<Instant>`${at}`.as('created_at'))
          .where('ci_jobs.id', 'in', some),
      )
      .onConflict((conflict) => conflict.column('job_id').doNothing())
      .execute()
}

/**
 * Removes jobs from the queue and counts them. The statement that deletes a row decides who has the job, so a runner may have been faster.
 */
export async function leaveQueue(tx: Tx, ids: readonly number[]): Promise<number> {
  let deleted = 0
  for (const some of slices(ids)) {
    const { numDeletedRows } = await tx.deleteFrom('ci_queue').where('job_id', 'in', some).executeTakeFirst()
    deleted += Number(numDeletedRows)
  }
  return deleted
}

/** Gives a pending job to an active runner; false if it is no longer in the queue, or the runner is paused or gone. */
export async function takeFromQueue(tx: Tx, job_id: number, runner_id: number): Promise<boolean> {
  const taken = tx
    .deleteFrom('ci_queue')
    .where('job_id', '=', job_id)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('ci_runners').select('ci_runners.id').where('ci_runners.id', '=', runner_id).where('active', '=', sql.lit(true))),
    )
    .returning('job_id')
  return (await rowsByKeptPlan(tx, taken)).length > 0
}

export async function updatePipeline(tx: Tx, id: number, change: Updateable<PipelineTable>): Promise<Pipeline> {
  return one(await rowsByKeptPlan(tx, tx.updateTable('pipelines').set(change).where('id', '=', id).returningAll()))
}

export async function updateStatus(tx: Tx, id: number, change: Updateable<CommitStatusTable>): Promise<CommitStatus> {
  return one(await rowsByKeptPlan(tx, tx.updateTable('commit_statuses').set(change).where('id', '=', id).returningAll()))
}

export async function updateJob(tx: Tx, id: number, change: Updateable<CiJobTable>): Promise<CiJob> {
  return one(await rowsByKeptPlan(tx, tx.updateTable('ci_jobs').set(change).where('id', '=', id).returningAll()))
}

function one<T>([row]: T[]): T {
  if (row === undefined) throw new Error('a row of a locked pipeline is gone')
  return row
}

/** Their runners are told with the reply to their next request. */
export async function noteCanceling(tx: Tx, ids: readonly number[], canceling_at: Instant): Promise<void> {
  for (const some of slices(ids)) await tx.updateTable('ci_jobs').set({ canceling_at }).where('id', 'in', some).execute()
}

export interface FoundJob {
  status: CommitStatus
  job: CiJob
}

/** A job with its status; null if there is none. */
export async function findJob(db: Db, id: number): Promise<FoundJob | null> {
  const [job] = await jobRow(db, id)
  const status = job && (await findStatus(db, id))
  return job && status ? { job, status } : null
}

const jobRow = prepared((db: Db, id: number) => db.selectFrom('ci_jobs').selectAll().where('id', '=', id))
const statusRow = prepared((db: Db, id: number) => db.selectFrom('commit_statuses').selectAll().where('id', '=', id))

export async function findStatus(db: Db, id: number): Promise<CommitStatus | null> {
  return (await statusRow(db, id))[0] ?? null
}

export function insertStatuses(tx: Tx, rows: Insertable<CommitStatusTable>[]): Promise<CommitStatus[]> {
  return tx.insertInto('commit_statuses').values(rows).returningAll().execute()
}

export async function insertJobs(tx: Tx, rows: Insertable<CiJobTable>[]): Promise<void> {
  await tx.insertInto('ci_jobs').values(rows).execute()
}

/** Locks a resource group until the transaction ends. Null if it was deleted. */
export async function lockResourceGroup(tx: Tx, id: number) {
  const found = await tx
    .updateTable('ci_resource_groups')
    .set({ id: sql`id` })
    .where('id', '=', id)
    .returning(['id', 'process_mode'])
    .executeTakeFirst()
  return found ?? null
}

/** The order in which jobs of the resource group run; null if it was deleted. */
export async function modeOf(db: Db, resource_group_id: number): Promise<string | null> {
  const group = db.selectFrom('ci_resource_groups').select('process_mode').where('id', '=', resource_group_id)
  return (await group.executeTakeFirst())?.process_mode ?? null
}

/** How many jobs of the group run or are about to run. */
export async function holdersOf(tx: Tx, resource_group_id: number): Promise<number> {
  const { count } = await tx
    .selectFrom('ci_jobs')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('ci_jobs.resource_group_id', '=', resource_group_id)
    .where('commit_statuses.status', 'in', ['pending', 'running'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Jobs that wait for the group, in the order of their pipelines. */
export function waitingFor(db: Db, resource_group_id: number) {
  return db
    .selectFrom('ci_jobs')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
    .select(['ci_jobs.id', 'ci_jobs.pipeline_id'])
    .where('ci_jobs.resource_group_id', '=', resource_group_id)
    .where('commit_statuses.status', '=', 'waiting_for_resource')
    .orderBy('ci_jobs.id')
    .execute()
}

/** Seconds after which delayed jobs start, keyed by id. */
export async function delaysOf(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.selectFrom('ci_jobs').select(['id', 'plan']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, plan }) => [id, (JSON.parse(plan) as { start_in_s: number | null }).start_in_s ?? 0]))
}
