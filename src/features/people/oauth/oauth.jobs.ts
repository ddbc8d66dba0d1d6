/** Background work of OAuth. */
import { type AnyJob, job } from '../../../queue/queue.ts'
import { deleteEnded } from './oauth.queries.ts'

const day_ms = 86_400_000

function daysAgo(days: number): string {
  return new Date(Date.now() - days * day_ms).toISOString()
}

/** Expired codes and tokens are invalid anyway; this deletes them. */
export const pruneOAuth = job<object>('oauth.prune', {
  every_ms: 3_600_000,
  handle: (app) => deleteEnded(app.db, { codes: daysAgo(1), replaced: daysAgo(30), unused: daysAgo(365) }),
})

export const oauthJobs: AnyJob[] = [pruneOAuth]
