/** Background work of sessions. */
import { type AnyJob, job } from '../../queue/queue.ts'
import { deleteEnded } from './sessions.queries.ts'

/** They count for nothing from the moment they end; here they are forgotten. */
export const pruneSessions = job<object>('sessions.prune', {
  every_ms: 3_600_000,
  handle: (app) => deleteEnded(app.db),
})

export const sessionJobs: AnyJob[] = [pruneSessions]
