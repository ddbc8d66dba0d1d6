/**
 * Changes the status of jobs in a locked pipeline, with everything that depends on it: their queue entry, their token, their resource
 * group.
 */
import type { Updateable } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CommitStatusTable, Pipeline, PipelineStatus } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { type Refusal, refusedJobs } from '../protected-environments/protected-environments.ts'
import { hasCompleted, hasEnded } from './composite.ts'
import {
  delaysOf,
  holdersOf,
  insertIntoQueue,
  type LiveStatus,
  leaveQueue,
  lockResourceGroup,
  updateJob,
  updateStatuses,
} from './processing.queries.ts'

type Place = Pick<Pipeline, 'id' | 'project_id'>

/** Also updates the status in the given objects. */
export async function moveJobs(
  tx: Tx,
  pipeline: Place,
  jobs: LiveStatus[],
  to: PipelineStatus,
  change: Updateable<CommitStatusTable> = {},
): Promise<void> {
  if (jobs.length === 0) return
  const at = now()
  const ids = jobs.map(({ id }) => id)
  await updateStatuses(tx, ids, { ...change, status: to, updated_at: at, ...(hasEnded(to) && { finished_at: at }) })
  if (hasCompleted(to)) await leaveBehind(tx, jobs)
  const moved = jobs.flatMap(({ id, name, kind, environment_id, status }) =>
    kind === 'external' ? [] : [{ id, name, kind, environment_id, before: status, after: to }],
  )
  for (const job of jobs) {
    job.status = to
    if (hasEnded(to)) job.finished_at = at
  }
  await publish(tx, { type: 'job_statuses_changed', project_id: pipeline.project_id, pipeline_id: pipeline.id, changes: moved, at })
}

/** Cleans up what only unfinished jobs have. */
async function leaveBehind(tx: Tx, jobs: readonly LiveStatus[]): Promise<void> {
  const pending = jobs.filter(({ status, kind }) => status === 'pending' && kind === 'job').map(({ id }) => id)
  await leaveQueue(tx, pending)
  const holding = jobs.filter(({ status }) => status === 'running' || status === 'pending')
  const groups = new Set(holding.flatMap(({ resource_group_id }) => resource_group_id ?? []))
  for (const resource_group_id of groups) await publish(tx, { type: 'resource_freed', resource_group_id })
}

/**
 * Makes jobs pending, or lets them wait for their resource group or for approvals; starts bridges. Jobs of whoever may not deploy to their
 * environment fail.
 * @returns whether one has failed
 */
export async function startJobs(tx: Tx, pipeline: Place, wanted: LiveStatus[]): Promise<boolean> {
  const deploying = wanted.filter(({ environment_id }) => environment_id !== null).map(({ id }) => id)
  const refused = await refusedJobs(tx, pipeline.project_id, deploying)
  const those = (refusal: Refusal | undefined) => wanted.filter(({ id }) => refused.get(id) === refusal)
  const denied = those('denied')
  await moveJobs(tx, pipeline, denied, 'failed', { failure_reason: 'protected_environment_failure' })
  await moveJobs(tx, pipeline, those('unapproved'), 'manual')
  await startAllowed(tx, pipeline, those(undefined))
  return denied.length > 0
}

async function startAllowed(tx: Tx, pipeline: Place, jobs: LiveStatus[]): Promise<void> {
  const grouped = jobs.filter(({ resource_group_id }) => resource_group_id !== null)
  const free = jobs.filter(({ resource_group_id }) => resource_group_id === null)
  const waiting: LiveStatus[] = []
  for (const job of grouped.sort((one, other) => Number(one.resource_group_id) - Number(other.resource_group_id))) {
    // A job started here counts for the next one of its group.
    if (await isGroupFree(tx, job)) await makePending(tx, pipeline, [job])
    else waiting.push(job)
  }
  await makePending(tx, pipeline, free)
  await moveJobs(tx, pipeline, waiting, 'waiting_for_resource')
}

async function isGroupFree(tx: Tx, { resource_group_id }: LiveStatus): Promise<boolean> {
  if (resource_group_id === null || !(await lockResourceGroup(tx, resource_group_id))) return true
  return (await holdersOf(tx, resource_group_id)) === 0
}

export async function makePending(tx: Tx, pipeline: Place, jobs: LiveStatus[]): Promise<void> {
  const at = now()
  await moveJobs(tx, pipeline, jobs, 'pending', { queued_at: at })
  const job_ids = jobs.filter(({ kind }) => kind === 'job').map(({ id }) => id)
  const bridges = jobs.filter(({ kind }) => kind === 'bridge').map(({ id }) => id)
  if (job_ids.length > 0) {
    await insertIntoQueue(tx, job_ids, at)
    await publish(tx, { type: 'jobs_queued', project_id: pipeline.project_id, job_ids })
  }
  if (bridges.length > 0) await publish(tx, { type: 'bridges_started', project_id: pipeline.project_id, job_ids: bridges })
}

export async function scheduleJobs(tx: Tx, pipeline: Place, jobs: LiveStatus[]): Promise<void> {
  if (jobs.length === 0) return
  const delays = await delaysOf(
    tx,
    jobs.map(({ id }) => id),
  )
  await moveJobs(tx, pipeline, jobs, 'scheduled')
  for (const { id } of jobs) {
    const scheduled_at = new Date(Date.now() + (delays.get(id) ?? 0) * 1_000).toISOString()
    await updateJob(tx, id, { scheduled_at })
    await publish(tx, { type: 'job_scheduled', job_id: id, scheduled_at })
  }
}
