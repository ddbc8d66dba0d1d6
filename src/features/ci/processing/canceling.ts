/** Cancels jobs of a locked pipeline: at once or, if the runner supports it, after its `after_script`. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Pipeline, PipelineStatus } from '../../../db/tables.ts'
import { moveJobs } from './moving.ts'
import { type LiveStatus, noteCanceling } from './processing.queries.ts'

/** Statuses of jobs that go on by themselves. */
export const cancelable: readonly PipelineStatus[] = ['created', 'waiting_for_resource', 'pending', 'running', 'scheduled']

export const isCancelable = ({ kind, status }: LiveStatus) => kind !== 'external' && cancelable.includes(status)

/**
 * @param force also cancels running jobs at once: their runners abort, and further reports are rejected. Without it, the runner ends a job
 * that was told to stop
 */
export async function cancelJobs(tx: Tx, pipeline: Pick<Pipeline, 'id' | 'project_id'>, jobs: LiveStatus[], force = false): Promise<void> {
  const isGraceful = ({ status, cancels_gracefully }: LiveStatus) => !force && status === 'running' && cancels_gracefully === true
  const graceful = jobs.filter(isGraceful)
  const told = graceful.filter(({ canceling_at }) => canceling_at === null)
  const at = now()
  await noteCanceling(
    tx,
    told.map(({ id }) => id),
    at,
  )
  for (const job of told) job.canceling_at = at
  await moveJobs(
    tx,
    pipeline,
    jobs.filter((job) => !isGraceful(job)),
    'canceled',
  )
}
