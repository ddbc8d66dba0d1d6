/** Removes bot users a month after their token ended, and bot users whose project or group is gone. */
import { Failure } from '../../../failure.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { botsInactiveSince } from '../access-tokens/access-tokens.ts'
import { deleteUser } from '../user-deletion/user-deletion.ts'

const hour_ms = 60 * 60_000
/** As long as ended tokens stay listed. */
const kept_ms = 30 * 24 * hour_ms
const atOnce = 100

/** Their contributions elsewhere are kept, with the Ghost User as author. */
export const removeBotsJob = job('resource_tokens.remove_bots', {
  every_ms: hour_ms,
  at_start: true,
  lane: 'slow',
  async handle(app, _, stopping) {
    const since = new Date(Date.now() - kept_ms).toISOString()
    for (let last = 0; ; ) {
      const bots = await botsInactiveSince(app.db, since, last, atOnce)
      for (const id of bots) {
        if (stopping?.aborted) return
        await deleteUser(app, id, { hard_delete: false }).catch(ignoreIfGone)
        last = id
      }
      if (bots.length < atOnce) return
    }
  },
})

/** An administrator may delete one at the same time. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'not_found')) throw error
}

export const resourceTokenJobs: AnyJob[] = [removeBotsJob]
