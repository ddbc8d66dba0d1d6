/** Removes artifacts that have expired. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { deleteExpiredOf, jobsWithExpired } from './artifacts.queries.ts'

const atOnce = 200

export const removeExpiredJob = job('artifacts.remove_expired', {
  every_ms: 10 * 60_000,
  lane: 'slow',
  async handle(app, _, stopping) {
    for (let after = 0; ; ) {
      const ids = await jobsWithExpired(app.db, after, atOnce)
      for (const id of ids) {
        if (stopping?.aborted) return
        await inTransaction(app.db, async (tx) => abandonAll(tx, await deleteExpiredOf(tx, id)))
      }
      if (ids.length < atOnce) return
      after = ids.at(-1) ?? after
    }
  },
})

export const artifactJobs: AnyJob[] = [removeExpiredJob]
