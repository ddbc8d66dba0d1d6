/** Assigns a job to a runner, and ends jobs. */
import { digestOf, newToken } from '../../../access/tokens.ts'
import type { PlannedJob } from '../../../ci/plan.ts'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiJob, CommitStatus, Pipeline } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { fold, proceed } from './advance.service.ts'
import { cancelJobs } from './canceling.ts'
import { moveJobs } from './moving.ts'
import { findJob, findStatus, liveStatuses, lockPipelineOf, takeFromQueue, updateJob, updateStatus } from './processing.queries.ts'
import { repeatJob } from './repeating.ts'

export interface Taker {
  job_id: number
  runner_id: number
  /** The machine of the runner, if it identifies it. */
  runner_manager_id?: number | null
  /** Whether the runner reports the end of a canceled job. */
  cancels_gracefully?: boolean
  /** The effective timeout for this job on this runner. */
  timeout_s: number
}

export interface TakenJob {
  pipeline: Pipeline
  status: CommitStatus
  job: CiJob
  /** The token of the job in the clear, which is not stored. */
  token: string
}

/**
 * Assigns a pending job to a runner: it is running from now on.
 * @returns null if another runner was faster, the job is no longer pending, or the runner is paused or gone
 */
export async function takeJob(tx: Tx, taker: Taker): Promise<TakenJob | null> {
  const { job_id, runner_id, runner_manager_id = null, cancels_gracefully = false, timeout_s } = taker
  const pipeline = await lockPipelineOf(tx, job_id)
  if (!pipeline || !(await takeFromQueue(tx, job_id, runner_id))) return null
  const at = now()
  const token = newToken('gstjt')
  const status = await updateStatus(tx, job_id, { status: 'running', runner_id, started_at: at, updated_at: at })
  const job = await updateJob(tx, job_id, { token_digest: digestOf(token), runner_manager_id, cancels_gracefully, timeout_s })
  const { project_id, id: pipeline_id } = pipeline
  const { environment_id } = job
  const changes = [
    { id: job_id, name: status.name, kind: 'job' as const, environment_id, before: 'pending' as const, after: 'running' as const },
  ]
  await publish(tx, { type: 'job_statuses_changed', project_id, pipeline_id, changes, at })
  const folded = pipeline.status === 'running' ? pipeline : await fold(tx, pipeline, await liveStatuses(tx, pipeline_id))
  return { pipeline: folded, status, job, token }
}

export interface JobEnd {
  status: 'success' | 'failed' | 'canceled'
  /** A reason of the reference (`script_failure`, `stuck_or_timeout_failure` …); `unknown_failure` by default. */
  failure_reason?: string | null
  exit_code?: number | null
  /** In percent. */
  coverage?: number | null
}

export interface EndedJob {
  status: CommitStatus
  /** The retry by the job's own `retry`; null if there is none. */
  retried_as: number | null
}

const open: readonly CommitStatus['status'][] = ['pending', 'running', 'waiting_for_resource', 'scheduled']

/**
 * Ends a job or bridge, and advances its pipeline. Its token becomes invalid.
 * @returns null if it has already ended, or hasn't begun
 */
export async function endJob(tx: Tx, job_id: number, reported: JobEnd): Promise<EndedJob | null> {
  const pipeline = await lockPipelineOf(tx, job_id)
  if (!pipeline) return null
  const live = await liveStatuses(tx, pipeline.id)
  const job = live.find(({ id }) => id === job_id)
  const found = await findJob(tx, job_id)
  if (!job || !found || !open.includes(job.status)) return null
  const plan = JSON.parse(found.job.plan) as PlannedJob
  // Whatever the result, a job that was told to stop counts as canceled.
  const end: JobEnd = found.job.canceling_at === null ? reported : { ...reported, status: 'canceled' }
  const exit_code = end.exit_code ?? null
  const failure_reason = end.status === 'failed' ? (end.failure_reason ?? 'unknown_failure') : null
  const allow_failure = end.status === 'failed' ? isAllowed(plan, found.status.allow_failure, exit_code) : found.status.allow_failure
  const coverage = end.coverage === undefined || end.coverage === null ? {} : { coverage: Math.round(end.coverage * 100) / 100 }
  if (exit_code !== found.job.exit_code) await updateJob(tx, job_id, { exit_code })
  await moveJobs(tx, pipeline, [job], end.status, { failure_reason, allow_failure, ...coverage })
  const isRepeated = end.status === 'failed' && isToRepeat(plan, found.job.attempt, failure_reason, exit_code)
  const retried_as = isRepeated ? await repeatJob(tx, pipeline, found, { attempt: found.job.attempt + 1 }) : null
  if (end.status === 'failed' && !allow_failure && !isRepeated) await tellFailure(tx, pipeline)
  await proceed(tx, pipeline)
  return { status: (await findStatus(tx, job_id)) ?? found.status, retried_as }
}

/** The first failure may cancel the other jobs. */
async function tellFailure(tx: Tx, pipeline: Pipeline): Promise<void> {
  const { project_id, source_sha, sha } = pipeline
  await publish(tx, { type: 'commit_status_failed', project_id, sha: source_sha ?? sha, at: now() })
  if (!pipeline.cancel_on_job_failure) return
  const others = await liveStatuses(tx, pipeline.id)
  await cancelJobs(
    tx,
    pipeline,
    others.filter(({ kind, status }) => kind !== 'external' && (status === 'created' || open.includes(status))),
  )
}

function isAllowed({ allow_failure_exit_codes }: PlannedJob, allow_failure: boolean, exit_code: number | null): boolean {
  return allow_failure_exit_codes === null ? allow_failure : exit_code !== null && allow_failure_exit_codes.includes(exit_code)
}

function isToRepeat({ retry }: PlannedJob, attempt: number, reason: string | null, exit_code: number | null): boolean {
  if (attempt >= retry.max) return false
  if (exit_code !== null && retry.exit_codes.includes(exit_code)) return true
  if (retry.when.length === 0) return retry.exit_codes.length === 0
  return retry.when.includes('always') || (reason !== null && retry.when.includes(reason))
}
