/** Failures of background work: logged and counted in one place, and never the end of the process. */
import type { Logger } from 'pino'
import type { Metrics } from './logging/metrics.ts'

interface Reporter {
  log: Logger
  metrics: { strayFailures: Pick<Metrics['strayFailures'], 'inc'> }
}

/** Runs `work` without waiting for it. `message` is constant text; data goes into `fields`. */
export function inBackground(app: Reporter, work: Promise<unknown>, message: string, fields: Record<string, unknown> = {}): void {
  work.catch((error: unknown) => reportFailure(app, error, message, fields))
}

/** Logs and counts a failure that no caller receives. */
export function reportFailure(app: Reporter, error: unknown, message: string, fields: Record<string, unknown> = {}): void {
  app.metrics.strayFailures.inc({ origin: 'background' })
  app.log.error({ err: asError(error), ...fields }, message)
}

/**
 * Last resort for unhandled rejections and uncaught exceptions: they are logged with the stack and counted, and the process continues. All
 * durable state is in transactions and git refs, not in memory, so a failed callback can't corrupt it; exiting would fail the requests of
 * everyone (decision 37). Returns a function that removes the handlers.
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

/** Anything may be thrown, but only an Error has a stack for the log. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`not an Error: ${String(thrown)}`)
}
