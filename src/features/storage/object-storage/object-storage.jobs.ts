/** Removes unreferenced objects from the store. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { job } from '../../../queue/queue.ts'
import { dueForRemoval, forgetUnreferenced } from './object-storage.queries.ts'

const every_ms = 10 * 60_000
const atOnce = 100

/** One object that can't be removed doesn't block the others; after this many failures, the store itself must be at fault. */
const maxFailures = 10

export const removeObjectsJob = job('objects.remove', {
  every_ms,
  lane: 'slow',
  async handle(app, _, stopping) {
    let failures = 0
    for (
      let keys = await dueForRemoval(app.db, '', atOnce);
      keys.length > 0;
      keys = await dueForRemoval(app.db, keys.at(-1) ?? '', atOnce)
    ) {
      // The snapshot of a running backup may refer to them. Checked after they were read: a backup that starts now doesn't.
      if (await isBackupUnderWay(app.db)) return
      for (const key of keys) {
        if (stopping?.aborted || failures === maxFailures) return
        if (!(await removeObject(app, key))) failures += 1
      }
    }
  },
})

/** The object first, then its row: after a crash in between, the next run repeats both. */
async function removeObject(app: App, key: string): Promise<boolean> {
  try {
    await app.store.remove(key)
    await forgetUnreferenced(app.db, key)
    return true
  } catch (error) {
    app.log.error({ err: error, key }, 'object storage: object not removed')
    return false
  }
}
