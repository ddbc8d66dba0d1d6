/** Actions of users on jobs and pipelines: cancel, retry, play. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CommitStatus, Pipeline } from '../../../db/tables.ts'
import { refusedJobs, requireDeployer } from '../protected-environments/protected-environments.ts'
import { proceed } from './advance.service.ts'
import { cancelJobs, isCancelable } from './canceling.ts'
import { moveJobs, startJobs } from './moving.ts'
import {
  findJob,
  type LiveStatus,
  liveStatuses,
  lockPipeline,
  lockPipelineOf,
  updateJob,
  updatePipeline,
  updateStatuses,
} from './processing.queries.ts'
import { repeatJob, reviveAfter } from './repeating.ts'

/** Cancels an unfinished job (`cancelJobs`); false if there is nothing to cancel. */
export async function cancelJob(tx: Tx, job_id: number, force = false): Promise<boolean> {
  const pipeline = await lockPipelineOf(tx, job_id)
  if (!pipeline) return false
  const [job] = (await liveStatuses(tx, pipeline.id)).filter((one) => one.id === job_id && (isCancelable(one) || one.status === 'manual'))
  if (!job) return false
  await cancelJobs(tx, pipeline, [job], force)
  await proceed(tx, pipeline)
  return true
}

/** Cancels all unfinished jobs and manual jobs that block the pipeline. Null if the pipeline was deleted. */
export async function cancelPipeline(tx: Tx, id: number, which: (job: LiveStatus) => boolean = () => true): Promise<Pipeline | null> {
  const pipeline = await lockPipeline(tx, id)
  if (!pipeline) return null
  const live = await liveStatuses(tx, id)
  const blocks = ({ status, allow_failure }: LiveStatus) => status === 'manual' && !allow_failure
  const open = live.filter((job) => (isCancelable(job) || blocks(job)) && which(job))
  await cancelJobs(tx, pipeline, open)
  return proceed(tx, pipeline)
}

export function isRetryable({ status, retried }: Pick<CommitStatus, 'status' | 'retried'>): boolean {
  return !retried && (status === 'success' || status === 'failed' || status === 'canceled')
}

/**
 * Retries a finished job now. Throws 403 if the user may not deploy to its environment.
 * @returns the id of the retry; null if it can't be retried
 */
export async function retryJob(tx: Tx, job_id: number, user_id: number): Promise<number | null> {
  const pipeline = await lockPipelineOf(tx, job_id)
  const found = pipeline && (await findJob(tx, job_id))
  if (!found || !isRetryable(found.status)) return null
  if (found.job.environment_id !== null) await requireDeployer(tx, pipeline.project_id, job_id, user_id)
  const next = await repeatJob(tx, pipeline, found, { user_id })
  await proceed(tx, pipeline)
  return next
}

/** Retries all failed and canceled jobs of a pipeline. Null if the pipeline was deleted. */
export async function retryPipeline(tx: Tx, id: number, user_id: number): Promise<Pipeline | null> {
  const locked = await lockPipeline(tx, id)
  if (!locked) return null
  const live = (await liveStatuses(tx, id)).filter(({ kind }) => kind !== 'external')
  const ended = live.filter(({ status }) => status === 'failed' || status === 'canceled')
  if (ended.length === 0) return locked
  // The status starts again, since a pipeline with pending jobs only would otherwise not become pending.
  const pipeline = await updatePipeline(tx, id, { status: 'created', finished_at: null, duration_s: null, updated_at: now() })
  for (const { id: job_id } of ended) {
    const found = await findJob(tx, job_id)
    if (found) await repeatJob(tx, pipeline, found, { user_id, startsAtOnce: false })
  }
  await moveJobs(
    tx,
    pipeline,
    live.filter(({ status }) => status === 'skipped'),
    'created',
  )
  return proceed(tx, { ...pipeline, status: 'created' })
}

/**
 * Starts a manual or delayed job. Throws 403 if the user may not deploy to its environment.
 * @param played.variables sealed (`ci_jobs.played_variables`)
 * @returns false if it isn't waiting, or waits for approvals
 */
export async function playJob(tx: Tx, job_id: number, played: { user_id: number; variables?: string | null } | null): Promise<boolean> {
  const pipeline = await lockPipelineOf(tx, job_id)
  if (!pipeline) return false
  const live = await liveStatuses(tx, pipeline.id)
  const job = live.find(({ id }) => id === job_id)
  if (!job || (job.status !== 'manual' && job.status !== 'scheduled')) return false
  if (played && job.environment_id !== null) await requireDeployer(tx, pipeline.project_id, job_id, played.user_id)
  if (played) await updateStatuses(tx, [job_id], { author_id: played.user_id })
  if (played && job.environment_id !== null && (await refusedJobs(tx, pipeline.project_id, [job_id])).size > 0) return false
  await updateJob(tx, job_id, { scheduled_at: null, ...(played?.variables && { played_variables: played.variables }) })
  await startJobs(tx, pipeline, [job])
  await reviveAfter(tx, pipeline, live, job.name)
  await proceed(tx, pipeline)
  return true
}

/** Fails a job that waits to be started. */
export async function rejectJob(tx: Tx, job_id: number, failure_reason: string): Promise<void> {
  const pipeline = await lockPipelineOf(tx, job_id)
  const job = pipeline && (await liveStatuses(tx, pipeline.id)).find(({ id, status }) => id === job_id && status === 'manual')
  if (!job) return
  await moveJobs(tx, pipeline, [job], 'failed', { failure_reason })
  await proceed(tx, pipeline)
}

/** A bridge runs while the pipeline that it depends on does, also when that is retried. */
export async function runBridge(tx: Tx, job_id: number): Promise<void> {
  const pipeline = await lockPipelineOf(tx, job_id)
  if (!pipeline) return
  const job = (await liveStatuses(tx, pipeline.id)).find(({ id }) => id === job_id)
  if (job?.kind !== 'bridge' || job.status === 'running' || job.status === 'canceled') return
  const hasEnded = job.status !== 'pending'
  await moveJobs(tx, pipeline, [job], 'running', { finished_at: null, failure_reason: null, ...(!hasEnded && { started_at: now() }) })
  await proceed(tx, pipeline)
}

/**
 * Cancels a pipeline because a newer one for its ref was created, as its file allows (`workflow:auto_cancel`): nothing once a job has
 * started that must not be interrupted; or only interruptible jobs; or nothing at all.
 */
export async function cancelOutdated(tx: Tx, id: number): Promise<void> {
  const pipeline = await lockPipeline(tx, id)
  if (!pipeline || pipeline.auto_cancel === 'none') return
  const isInterruptible = ({ interruptible }: LiveStatus) => interruptible === true
  if (pipeline.auto_cancel === 'interruptible') return void (await cancelPipeline(tx, id, isInterruptible))
  const live = await liveStatuses(tx, id)
  if (live.every((job) => job.kind === 'external' || job.started_at === null || isInterruptible(job))) await cancelPipeline(tx, id)
}
