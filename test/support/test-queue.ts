/** The queue of a test forge: it runs when a test says so, and in the background only on request. */
import type { App } from '../../src/app.ts'
import { jobs } from '../../src/features/index.ts'
import { startWorker, type Worker } from '../../src/queue/worker.ts'

export interface TestQueue {
  drain: () => Promise<void>
  /** Polls from now on, as in a server. */
  start: () => Promise<void>
  stop: () => Promise<void>
  /** Continues as before it was stopped. */
  resume: () => void
}

export function testQueue(app: App): TestQueue {
  let worker: Worker | null = null
  let isTicking = false
  const open = () => {
    // Without polling: the order of jobs must not depend on the speed of a test.
    worker ??= startWorker(app, jobs, { isTicking })
    return worker
  }
  const stop = async () => {
    await worker?.stop()
    worker = null
  }
  return {
    drain: () => open().drain(),
    async start() {
      if (isTicking) return
      await stop()
      isTicking = true
      open()
    },
    stop,
    resume: () => void (isTicking && open()),
  }
}
