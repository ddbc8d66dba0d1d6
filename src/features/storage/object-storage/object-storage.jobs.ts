/** Removes from the objects store what nothing refers to. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { job } from '../../../queue/queue.ts'
import { dueForRemoval, forgetUnreferenced } from './object-storage.queries.ts'

const every_ms = 10 * 60_000
const atOnce = 100

/** One object that can't be removed doesn't stand in the way of the others; when so many can't, it is the store. */
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
      // Its snapshot may refer to them. Asked after they were read: one that begins now doesn't.
      if (await isBackupUnderWay(app.db)) return
      for (const key of keys) {
        if (stopping?.aborted || failures === maxFailures) return
        if (!(await removeObject(app, key))) failures += 1
      }
    }
  },
})

/** First the object, then the word that it is to go: whatever happens in between, the next run does it again. */
async function removeObject(app: App, key: string): Promise<boolean> {
  try {
    await app.store.remove(key)
    await forgetUnreferenced(app.db, key)
    return true
  } catch (error) {
    app.log.error({ err: error, key }, 'an object could not be removed')
    return false
  }
}
