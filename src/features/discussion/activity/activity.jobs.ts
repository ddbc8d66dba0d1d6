/** Background work of activity: events are kept for a year (spec part 6). */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { deleteEventsBefore } from './activity.queries.ts'

const day_ms = 24 * 60 * 60_000
const kept_days = 366
const atOnce = 1_000

export const pruneEventsJob = job('events.prune', {
  every_ms: 6 * 60 * 60_000,
  at_start: true,
  async handle(app, _, stopping) {
    const before = new Date(Date.now() - kept_days * day_ms).toISOString()
    for (let more = true; more && !stopping?.aborted; ) {
      more = (await inTransaction(app.db, (tx) => deleteEventsBefore(tx, before, atOnce))) === atOnce
    }
  },
})

export const activityJobs: AnyJob[] = [pruneEventsJob]
