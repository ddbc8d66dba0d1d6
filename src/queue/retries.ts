/** Backoff of failed jobs, and retries of writes. */
import { setTimeout } from 'node:timers/promises'
import type { App } from '../app.ts'

/** 15 s after the first attempt, then 30 s, a minute and so on, at most six hours. */
export function retryDelay_ms(attempt: number): number {
  return Math.min(15_000 * 2 ** (attempt - 1), 6 * 3_600_000)
}

const maxPause_ms = 5_000

/**
 * Retries a write every few seconds while the database is unavailable, until it succeeds, `stopping` aborts or `max_ms` have passed. Then
 * it throws the last error.
 */
export async function persistently(
  app: Pick<App, 'log'>,
  work: () => Promise<void>,
  { stopping, max_ms, ...fields }: { stopping: AbortSignal; max_ms: number; job: string },
): Promise<void> {
  const until = Date.now() + max_ms
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (stopping.aborted || Date.now() > until) throw error
      if (tries === 1) app.log.warn({ err: error, ...fields }, 'job queue: could not store the outcome of a job, retrying')
      await setTimeout(Math.min(500 * tries, maxPause_ms), undefined, { signal: stopping }).catch(() => {})
    }
  }
}
