/** The queue of a forge of tests: it runs when a test says so, and in the background only when asked to. */
import type { App } from '../../src/app.ts'
import { jobs } from '../../src/features/index.ts'
import { startWorker, type Worker } from '../../src/queue/worker.ts'

export interface TestQueue {
  drain: () => Promise<void>
  /** From now on it ticks, as that of a server does. */
  start: () => Promise<void>
  stop: () => Promise<void>
  /** Goes on as before it was stopped. */
  resume: () => void
}

export function testQueue(app: App): TestQueue {
  let worker: Worker | null = null
  let isTicking = false
  const open = () => {
    // Without ticks: what a slow test enqueues must not run earlier than what a quick one does.
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
