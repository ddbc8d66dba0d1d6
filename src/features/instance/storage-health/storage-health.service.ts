/** Checks whether this machine can write to the repository storage, and stores failures where all machines see them. */
import { hostname } from 'node:os'
import type { App } from '../../../app.ts'
import { addFailure, removeFailures } from './storage-health.queries.ts'

/** Each check writes and removes a small file. */
const interval_ms = 30_000
/** Like the readiness probe: a storage that hangs fails, too. */
const timeout_ms = 3_000

/** Checks at once and then regularly. Returns a function that stops this. */
export function watchStorage(app: App): () => void {
  const check = storageCheck(app)
  const timer = setInterval(() => void check(), interval_ms)
  timer.unref()
  void check()
  return () => clearInterval(timer)
}

/** Runs one check at a time: it never fails, and only writes to the database if the storage fails or has recovered. */
export function storageCheck(app: App, probe: () => Promise<void> = () => app.git.probe()): () => Promise<void> {
  const host = hostname()
  // An earlier process of this machine may have left failures.
  let hadFailed = true
  let failures = 0
  return async () => {
    try {
      await inTime(probe())
      if (failures > 0) app.log.info({ failures }, 'repository storage: writable again')
      failures = 0
      app.metrics.storageFailures.set(0)
      if (hadFailed) await removeFailures(app.db, host)
      hadFailed = false
    } catch (error) {
      hadFailed = true
      failures += 1
      app.metrics.storageFailures.set(failures)
      app.log.error({ err: error, failures }, 'repository storage: not writable')
      await addFailure(app.db, host).catch((cause: unknown) => app.log.error({ err: cause }, 'repository storage: failure not recorded'))
    }
  }
}

function inTime(work: Promise<void>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${timeout_ms} ms`)), timeout_ms).unref()
  })
  return Promise.race([work, late])
}
