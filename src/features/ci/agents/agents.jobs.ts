/** Ends jobs that would otherwise never end: their runner was lost, they take too long, or no runner takes them. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { endJob } from '../processing/processing.ts'
import { lostJobs } from './lost.queries.ts'

const minute_ms = 60_000
const atOnce = 100

/** A job is lost if its runner sends nothing for this long. */
const silent_ms = 60 * minute_ms
/** Runners end jobs at their timeout; if one doesn't, the server ends the job this much later. */
const grace_ms = 10 * minute_ms
/** A job that is pending for this long won't be taken any more. */
const pending_ms = 24 * 60 * minute_ms

export const endLostJob = job('ci.end_lost_jobs', {
  every_ms: minute_ms,
  at_start: true,
  async handle(app, _, stopping) {
    const now = Date.now()
    const limits = { silent_ms, grace_ms, pending_ms }
    for (let after = 0; ; ) {
      const lost = await lostJobs(app.db, now, limits, { after, limit: atOnce })
      for (const { id, reason } of lost) {
        if (stopping?.aborted) return
        await inTransaction(app.db, (tx) => endJob(tx, id, { status: 'failed', failure_reason: reason }))
        app.log.info({ job_id: id, reason }, 'runners: ended a lost job')
        after = id
      }
      if (lost.length < atOnce) return
    }
  },
})

export const agentJobs: AnyJob[] = [endLostJob]
