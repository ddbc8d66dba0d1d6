/** Where failures end that nobody waits for: logged and counted in one place, and never the end of the process. */
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'

interface Reporter {
  log: Logger
  metrics: { strayFailures: Pick<Metrics['strayFailures'], 'inc'> }
}

/** Lets `work` go on by itself. `message` is constant text; what differs goes into `fields`. */
export function inBackground(app: Reporter, work: Promise<unknown>, message: string, fields: Record<string, unknown> = {}): void {
  work.catch((error: unknown) => reportFailure(app, error, message, fields))
}

/** Logs and counts a failure that has nobody to be told to. */
export function reportFailure(app: Reporter, error: unknown, message: string, fields: Record<string, unknown> = {}): void {
  app.metrics.strayFailures.inc({ origin: 'background' })
  app.log.error({ err: asError(error), ...fields }, message)
}

/**
 * The last net, for what no `catch` and no `error` listener took: logged with its stack and counted, and the process goes on.
 * Everything that must last is in transactions and in git's refs, not in memory, so a failed callback can't corrupt it; to end
 * would break everybody's requests for one (decision 37). Returns a function that takes the net away.
 */
export function catchStrays(app: Reporter): () => void {
  const onRejection = (reason: unknown) => {
    app.metrics.strayFailures.inc({ origin: 'unhandled_rejection' })
    app.log.error({ err: asError(reason) }, 'unhandled rejection')
  }
  const onException = (error: unknown) => {
    app.metrics.strayFailures.inc({ origin: 'uncaught_exception' })
    app.log.fatal({ err: asError(error) }, 'uncaught exception')
  }
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
  }
}

/** Anything may be thrown; only of an error the log knows the stack. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`not an Error: ${String(thrown)}`)
}
