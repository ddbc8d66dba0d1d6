/** Background work of sessions. */
import { deleteEndedCounts } from '../../../access/passwords/rate-limit.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { deleteEnded } from './sessions.queries.ts'

/** Expired sessions and counts of failed sign-ins are invalid anyway; this deletes them. */
export const pruneSessions = job<object>('sessions.prune', {
  every_ms: 3_600_000,
  async handle(app) {
    await deleteEnded(app.db)
    await deleteEndedCounts(app.db)
  },
})

export const sessionJobs: AnyJob[] = [pruneSessions]
