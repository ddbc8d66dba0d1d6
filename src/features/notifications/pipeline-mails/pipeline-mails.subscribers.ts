/** Enqueues mail about a finished pipeline, in the transaction that finishes it. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { pipelineMailJob } from './pipeline-mails.jobs.ts'

/** Not for child pipelines: the mail about their parent covers them. */
export async function mailOfPipeline(tx: Tx, event: EventOf<'pipeline_status_changed'>, { mail }: Site): Promise<void> {
  const { pipeline, before, at } = event
  const { id, project_id, user_id, status, source } = pipeline
  if (mail === null || user_id === null || source === 'parent_pipeline' || status === before) return
  if (status === 'failed' || status === 'success') await enqueue(tx, pipelineMailJob, { project_id, pipeline_id: id, status, at })
}
