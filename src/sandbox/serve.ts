/** The sandbox's side: receives jobs one at a time, sends their results, and asks the server what a job asks. */
import type { FromSandbox, ToSandbox } from './messages.ts'

/** Asks the server; the job's `answer` handles the question. */
export type Ask = (question: unknown) => Promise<unknown>

/** An exception in `run` ends the process and is reported to the sender of the job. */
export function serveJobs<J>(run: (job: J, ask: Ask) => Promise<unknown>): void {
  let answered: (answer: unknown) => void = () => {}
  const send = (message: FromSandbox, onSent = () => {}) => process.send?.(message, onSent)
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
  process.on('message', async (message: ToSandbox) => {
    if ('answer' in message) return answered(message.answer)
    try {
      send({ made: await run(message.job as J, ask) })
    } catch (error) {
      send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }, () => process.exit(1))
    }
  })
  process.once('disconnect', () => process.exit())
  // Sent to the whole process group, for example by Ctrl-C. A stopping server finishes its requests; this process ends with it.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  // The program loads before it is ready, so that loading doesn't count toward the first job.
  send({ isReady: true })
}
