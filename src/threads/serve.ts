/** The side of a worker thread: jobs come in, one at a time, what they make goes out; what a job asks is answered by the process. */
import { parentPort } from 'node:worker_threads'
import type { FromThread, ToThread } from './messages.ts'

/** Asks the process, as the job's `answer` understands it. */
export type Ask = (question: unknown) => Promise<unknown>

/** What `run` throws ends the thread, and the one who sent the job learns it. */
export function serveJobs<J>(run: (job: J, ask: Ask) => Promise<{ made: unknown; transfer?: ArrayBuffer[] }>): void {
  let answered: (answer: unknown) => void = () => {}
  const send = (message: FromThread, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer)
  // A job may ask twice at once; the second question waits.
  let last: Promise<unknown> = Promise.resolve()
  const ask: Ask = (question) => {
    last = last.then(() => {
      const answer = new Promise((resolve) => {
        answered = resolve
      })
      send({ question })
      return answer
    })
    return last
  }
  parentPort?.on('message', async (message: ToThread) => {
    if ('answer' in message) return answered(message.answer)
    const { made, transfer } = await run(message.job as J, ask)
    send({ made }, transfer)
  })
  // What the program has loaded until now is no part of its first job.
  send({ isReady: true })
}
