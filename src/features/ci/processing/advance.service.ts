/** Advances pipelines: computes what follows from changed jobs, and the status of the pipeline. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Pipeline } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { hasEnded, nextStatus, overallStatus } from './composite.ts'
import { moveJobs, scheduleJobs, startJobs } from './moving.ts'
import { type JobState, nextSteps, type Step } from './next-steps.ts'
import { type LiveStatus, liveStatuses, lockPipeline, updatePipeline } from './processing.queries.ts'

/**
 * Starts or skips jobs, or makes them manual, where that can be decided, and updates the pipeline's status, in this transaction. Safe to
 * repeat.
 * @returns the current pipeline; null if it was deleted
 */
export async function advancePipeline(tx: Tx, id: number): Promise<Pipeline | null> {
  const pipeline = await lockPipeline(tx, id)
  return pipeline && proceed(tx, pipeline)
}

/** `advancePipeline` for a pipeline that is already locked. */
export async function proceed(tx: Tx, pipeline: Pipeline): Promise<Pipeline> {
  const live = await liveStatuses(tx, pipeline.id)
  // A job that may not start fails, and others follow from that.
  while (await takeSteps(tx, pipeline, live));
  return fold(tx, pipeline, live)
}

/** @returns whether a job has failed by it */
async function takeSteps(tx: Tx, pipeline: Pipeline, live: readonly LiveStatus[]): Promise<boolean> {
  const byId = new Map(live.map((job) => [job.id, job]))
  const steps = nextSteps(live.flatMap(stateOf))
  const those = (wanted: Step['to']) => steps.flatMap(({ id, to }) => (to === wanted ? (byId.get(id) ?? []) : []))
  await moveJobs(tx, pipeline, those('skipped'), 'skipped')
  await moveJobs(tx, pipeline, those('manual'), 'manual')
  await scheduleJobs(tx, pipeline, those('scheduled'))
  return startJobs(tx, pipeline, those('start'))
}

function stateOf({ id, name, stage_idx, status, allow_failure, when_to_run, needs }: LiveStatus): JobState[] {
  if (when_to_run === null) return []
  return [{ id, name, stage_idx, status, allow_failure, when: when_to_run, needs: needs === null ? null : (JSON.parse(needs) as string[]) }]
}

/** Updates the pipeline's row from its statuses. */
export async function fold(tx: Tx, pipeline: Pipeline, live: readonly LiveStatus[]): Promise<Pipeline> {
  const status = nextStatus(pipeline.status, overallStatus(live))
  const coverage = averageCoverage(live)
  if (status === pipeline.status && coverage === pipeline.coverage) return pipeline
  const at = now()
  const { started_at } = pipeline
  const starts = status === 'running' && started_at === null && (pipeline.status === 'created' || pipeline.status === 'pending')
  const folded = await updatePipeline(tx, pipeline.id, {
    status,
    coverage,
    updated_at: at,
    ...(starts && { started_at: at, queued_duration_s: secondsBetween(pipeline.created_at, at) }),
    ...(status !== pipeline.status && { finished_at: hasEnded(status) ? at : null, duration_s: hasEnded(status) ? duration(live) : null }),
  })
  if (status !== pipeline.status) await tell(tx, folded, pipeline.status, at)
  return folded
}

async function tell(tx: Tx, pipeline: Pipeline, before: Pipeline['status'], at: string): Promise<void> {
  const { project_id, source_sha, sha } = pipeline
  await publish(tx, { type: 'pipeline_status_changed', pipeline, before, at })
  if (pipeline.status === 'success') await publish(tx, { type: 'pipeline_succeeded', project_id, sha: source_sha ?? sha, at })
}

function averageCoverage(live: readonly LiveStatus[]): number | null {
  const known = live.flatMap(({ coverage }) => coverage ?? [])
  if (known.length === 0) return null
  // Converted to text, it is the same on both engines, however they store floats.
  return Number((known.reduce((sum, one) => sum + one, 0) / known.length).toFixed(2))
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000))
}

/** Seconds in which at least one job was running. */
export function duration(live: readonly Pick<LiveStatus, 'started_at' | 'finished_at'>[]): number {
  const periods = live
    .flatMap(({ started_at, finished_at }) =>
      started_at && finished_at ? [[Date.parse(started_at), Date.parse(finished_at)] as const] : [],
    )
    .sort(([one], [other]) => one - other)
  let total_ms = 0
  let until = -Infinity
  for (const [from, to] of periods) {
    total_ms += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return Math.round(total_ms / 1_000)
}
