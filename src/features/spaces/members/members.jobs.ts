/** Background work: removes expired memberships. They have no effect from the moment they expire. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { removeExpiredShares } from '../group-shares/group-shares.ts'
import { expiredMemberships } from './members.queries.ts'
import { removeExpired } from './members.service.ts'

const hour_ms = 60 * 60_000
const atOnce = 500

export const removeExpiredJob = job('members.remove_expired', {
  every_ms: hour_ms,
  at_start: true,
  async handle(app, _, stopping) {
    for (let more = true; more && !stopping?.aborted; ) {
      const ids = await expiredMemberships(app.db, atOnce)
      await inTransaction(app.db, (tx) => removeExpired(tx, ids))
      more = ids.length === atOnce
    }
    await removeExpiredShares(app.db)
  },
})

export const memberJobs: AnyJob[] = [removeExpiredJob]
