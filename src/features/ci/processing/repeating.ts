/** Repeats a job: a new one with the same name follows it, and skipped jobs after it are decided again. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Pipeline } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { moveJobs, startJobs } from './moving.ts'
import { type FoundJob, insertJobs, insertStatuses, type LiveStatus, liveStatuses, updateStatuses } from './processing.queries.ts'

export interface Repetition {
  /** The user who requested it; by default the user of the original job. */
  user_id?: number
  attempt?: number
  /** If false, the pipeline decides when it starts. */
  startsAtOnce?: boolean
  /** Sealed. */
  played_variables?: string | null
}

/**
 * Inserts the new job.
 * @returns its id
 */
export async function repeatJob(
  tx: Tx,
  pipeline: Pipeline,
  { status, job }: FoundJob,
  { user_id, attempt = 0, startsAtOnce = true, played_variables = job.played_variables }: Repetition,
): Promise<number> {
  const at = now()
  const { project_id, pipeline_id, kind, sha, ref, tag, name, stage, stage_idx, target_url, description } = status
  const [next] = await insertStatuses(tx, [
    {
      ...{ project_id, pipeline_id, kind, sha, ref, tag, name, stage, stage_idx, target_url, description },
      status: 'created',
      protected: status.protected,
      allow_failure: (JSON.parse(job.plan) as { allow_failure: boolean }).allow_failure,
      author_id: user_id ?? status.author_id,
      created_at: at,
      updated_at: at,
    },
  ])
  if (!next) throw new Error('a job was not inserted')
  const { when_to_run, needs, tags, interruptible, plan, environment_id, resource_group_id, downstream_project_id } = job
  await insertJobs(tx, [
    {
      ...{ id: next.id, project_id, pipeline_id, when_to_run, needs, tags, interruptible, plan, environment_id, resource_group_id },
      ...{ downstream_project_id, attempt, played_variables },
    },
  ])
  await updateStatuses(tx, [status.id], { retried: true })
  await publish(tx, { type: 'job_retried', job_id: status.id, retried_as: next.id })
  if (startsAtOnce) {
    const live = await liveStatuses(tx, pipeline.id)
    await startJobs(
      tx,
      pipeline,
      live.filter(({ id }) => id === next.id),
    )
    await reviveAfter(tx, pipeline, live, name)
  }
  return next.id
}

/** Jobs that were skipped because of this one wait for it again. */
export async function reviveAfter(tx: Tx, pipeline: Pipeline, live: readonly LiveStatus[], name: string): Promise<void> {
  const root = live.find((job) => job.name === name)
  if (!root) return
  const needed = new Set([name])
  const stages = new Set<number>()
  const revived = new Set<LiveStatus>()
  const follows = (job: LiveStatus) =>
    job.needs === null
      ? job.stage_idx > root.stage_idx || [...stages].some((stage) => job.stage_idx > stage)
      : (JSON.parse(job.needs) as string[]).some((one) => needed.has(one))
  // Each pass finds jobs that need one of the previous pass.
  for (let found = true; found; ) {
    found = false
    for (const job of live) {
      if (job.kind === 'external' || job === root || revived.has(job) || job.status !== 'skipped' || !follows(job)) continue
      revived.add(job)
      needed.add(job.name)
      stages.add(job.stage_idx)
      found = true
    }
  }
  await moveJobs(tx, pipeline, [...revived], 'created')
}
