/** Enqueues the start of delayed jobs. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { startDelayedJob } from './processing.jobs.ts'

export async function startLater(tx: Tx, { job_id, scheduled_at }: EventOf<'job_scheduled'>): Promise<void> {
  await enqueue(tx, startDelayedJob, { job_id }, { delay_ms: Math.max(0, Date.parse(scheduled_at) - Date.now()) })
}
