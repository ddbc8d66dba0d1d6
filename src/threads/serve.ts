/** The worker thread's side: receives jobs one at a time, sends their results, and asks the process what a job asks. */
import { parentPort } from 'node:worker_threads'
import type { FromThread, ToThread } from './messages.ts'

/** Asks the process; the job's `answer` handles the question. */
export type Ask = (question: unknown) => Promise<unknown>

/** An exception in `run` ends the thread and is reported to the sender of the job. */
export function serveJobs<J>(run: (job: J, ask: Ask) => Promise<{ made: unknown; transfer?: ArrayBuffer[] }>): void {
  let answered: (answer: unknown) => void = () => {}
  const send = (message: FromThread, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer)
  // A job may ask two questions at once; the second waits.
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
  // What the program has loaded so far doesn't count toward its first job.
  send({ isReady: true })
}
