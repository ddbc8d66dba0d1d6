/** Removes from the objects store what nothing refers to. */
import { job } from '../../queue/queue.ts'
import { dueForRemoval, forgetUnreferenced } from './objects.queries.ts'

const every_ms = 10 * 60_000
const day_ms = 24 * 60 * 60_000
const atOnce = 100

export const removeObjectsJob = job('objects.remove', {
  every_ms,
  lane: 'slow',
  async handle(app, _, stopping) {
    for (;;) {
      const keys = await dueForRemoval(app.db, atOnce)
      for (const key of keys) {
        if (stopping?.aborted) return
        await app.store.remove(key)
        await forgetUnreferenced(app.db, key)
      }
      if (keys.length < atOnce) break
    }
    await app.store.sweep(day_ms)
  },
})
