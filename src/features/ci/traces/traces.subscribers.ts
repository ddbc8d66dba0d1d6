/** Schedules the archiving of a trace when its job ends. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { compactTraceJob } from './traces.jobs.ts'
import { jobsWithPieces } from './traces.queries.ts'

const ended = ['success', 'failed', 'canceled']

export async function closeTraces(tx: Tx, { changes }: EventOf<'job_statuses_changed'>): Promise<void> {
  const ids = changes.filter(({ after }) => ended.includes(after)).map(({ id }) => id)
  for (const job_id of await jobsWithPieces(tx, ids)) await enqueue(tx, compactTraceJob, { job_id })
}
