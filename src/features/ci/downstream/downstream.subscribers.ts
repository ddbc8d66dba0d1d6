/** How bridges and their pipelines react to changes. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { cancelChildrenJob, followDownstreamJob, startDownstreamJob } from './downstream.jobs.ts'

export async function startBridges(tx: Tx, { project_id, job_ids }: EventOf<'bridges_started'>): Promise<void> {
  for (const job_id of job_ids) await enqueue(tx, startDownstreamJob, { project_id, job_id })
}

const isOfBridge = (source: string) => source === 'parent_pipeline' || source === 'pipeline'

export async function followStatus(tx: Tx, { pipeline }: EventOf<'pipeline_status_changed'>): Promise<void> {
  const { id, project_id, status, source } = pipeline
  if (isOfBridge(source)) await enqueue(tx, followDownstreamJob, { pipeline_id: id })
  if (status === 'canceled') await enqueue(tx, cancelChildrenJob, { pipeline_id: id, project_id })
}
