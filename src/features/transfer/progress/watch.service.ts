/**
 * Watches work that goes on: records how far it is, and ends it when nobody wants it any more.
 *
 * Bytes on disk, every two seconds, in a row, for several processes serve one page; what git prints counts phases, and differs between versions.
 * Stopping sets the state of the import or export, which the running job finds.
 */
import type { App } from '../../../app.ts'
import { endProgress, noteProgress, type Work } from './progress.queries.ts'

export interface Watch {
  project_id: number
  work: Work
  /** So far, in bytes; asked for every few seconds. */
  measure: () => Promise<number> | number
  total_bytes: number | null
  /** Whether the work is still to be done: false once somebody has stopped it. */
  isWanted: () => Promise<boolean>
  /** The process stops. */
  stopping?: AbortSignal | undefined
}

const usualInterval_ms = 2_000

/** Runs the work with a signal that aborts when the process stops, and when the work is stopped. What can't be recorded is logged only. */
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
