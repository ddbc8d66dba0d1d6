/**
 * Watches running work: records its progress, and ends it when it has been stopped. Progress is the number of bytes on disk, written to a
 * row every two seconds, since several processes serve the same page; the output of git counts phases, and differs between versions.
 * Stopping sets the state of the import or export, which the running job polls.
 */
import type { App } from '../../../app.ts'
import { endProgress, noteProgress, type Work } from './progress.queries.ts'

export interface Watch {
  project_id: number
  work: Work
  /** The bytes so far; called every few seconds. */
  measure: () => Promise<number> | number
  total_bytes: number | null
  /** False once somebody has stopped the work. */
  isWanted: () => Promise<boolean>
  /** Aborts when the process stops. */
  stopping?: AbortSignal | undefined
}

const usualInterval_ms = 2_000

/**
 * Runs the work with a signal that aborts when the process stops or somebody stops the work. A failure to record progress is only logged.
 */
export async function watched<T>(
  app: App,
  { project_id, work, measure, total_bytes, isWanted, stopping }: Watch,
  run: (signal: AbortSignal) => Promise<T>,
  interval_ms = usualInterval_ms,
): Promise<T> {
  const ending = new AbortController()
  const signal = stopping ? AbortSignal.any([stopping, ending.signal]) : ending.signal
  const look = async () => {
    try {
      if (!(await isWanted())) return ending.abort()
      await noteProgress(app.db, project_id, work, await measure(), total_bytes)
    } catch (error) {
      app.log.warn({ err: error, project_id }, 'transfer: progress not recorded')
    }
  }
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, interval_ms)
  try {
    return await run(signal)
  } finally {
    clearInterval(timer)
    await looking
    await endProgress(app.db, project_id, work).catch((error) => app.log.warn({ err: error, project_id }, 'transfer: progress not removed'))
  }
}
