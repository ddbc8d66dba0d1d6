/** Background work of sessions. */
import { deleteEndedCounts } from '../../../access/passwords/rate-limit.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { deleteEnded, forgetNetworks } from './sessions.queries.ts'

/** From a network that was not used for so long, signing in is news. */
const networksKept_ms = 180 * 86_400_000

/** Sessions, and counts of failed sign-ins, count for nothing from the moment they end; here they are deleted. */
export const pruneSessions = job<object>('sessions.prune', {
  every_ms: 3_600_000,
  async handle(app) {
    await deleteEnded(app.db)
    await deleteEndedCounts(app.db)
    await forgetNetworks(app.db, new Date(Date.now() - networksKept_ms).toISOString())
  },
})

export const sessionJobs: AnyJob[] = [pruneSessions]
