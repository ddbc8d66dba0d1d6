/** Removes large files that no project has any more, and expired tokens. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { type ObjectUse, objectsAfter, removeOrphan, setOrphaned } from './lfs.queries.ts'
import { removeExpiredTokens } from './tokens.service.ts'

const hour_ms = 60 * 60_000
const grace_ms = 24 * hour_ms
const atOnce = 1_000

/** An object without projects is first marked as an orphan, and removed a day later if it still is one. */
export const removeOrphansJob = job('lfs.remove_orphans', {
  every_ms: 6 * hour_ms,
  lane: 'slow',
  async handle(app, _, stopping) {
    for (let last = ''; ; ) {
      const objects = await objectsAfter(app.db, last, atOnce)
      for (const object of objects) {
        if (stopping?.aborted) return
        await updateOrphan(app, object)
      }
      if (objects.length < atOnce) return
      last = objects.at(-1)?.oid ?? ''
    }
  },
})

async function updateOrphan(app: App, { oid, orphaned_at, linked }: ObjectUse): Promise<void> {
  // Linking clears the mark, but the mark may have been set just afterwards.
  if (linked) return orphaned_at === null ? undefined : setOrphaned(app.db, oid, null)
  if (orphaned_at === null) return setOrphaned(app.db, oid, now())
  const before = new Date(Date.now() - grace_ms).toISOString()
  if (orphaned_at > before) return
  await inTransaction(app.db, async (tx) => {
    const key = await removeOrphan(tx, oid, before)
    if (key !== null) await abandon(tx, key)
  })
}

export const removeTokensJob = job('lfs.remove_tokens', {
  every_ms: hour_ms,
  handle: (app) => removeExpiredTokens(app.db),
})

export const lfsJobs: AnyJob[] = [removeOrphansJob, removeTokensJob]
