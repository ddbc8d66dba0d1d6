/** Combines the statuses of many jobs. Pure functions. */
import type { PipelineStatus } from '../../../db/tables.ts'

/** A status as it counts for others: allowed failures are warnings, and an optional manual job that was not started is ignored. */
type Counted = PipelineStatus | 'warning' | 'ignored'

interface Judged {
  status: PipelineStatus
  allow_failure: boolean
}

export function countedAs({ status, allow_failure }: Judged): Counted {
  if (!allow_failure) return status
  if (status === 'failed' || status === 'canceled') return 'warning'
  return status === 'manual' ? 'ignored' : status
}

/** The statuses that may occur together for each result; the first match counts. */
const alone: [PipelineStatus, Counted[]][] = [
  ['skipped', ['skipped', 'ignored']],
  ['success', ['success', 'skipped', 'warning', 'ignored']],
  ['created', ['created', 'warning', 'ignored']],
  ['canceled', ['canceled', 'success', 'skipped', 'warning', 'ignored']],
  ['pending', ['pending', 'created', 'skipped', 'warning', 'ignored']],
]

/** Otherwise, the result for the first of these that occurs. */
const among: [Counted, PipelineStatus][] = [
  ['running', 'running'],
  ['pending', 'running'],
  ['waiting_for_resource', 'waiting_for_resource'],
  ['manual', 'manual'],
  ['scheduled', 'scheduled'],
  ['created', 'running'],
]

/** The status of a pipeline, or of stages, with these statuses (spec 3, combined as in the reference); `skipped` if there are none. */
export function compositeOf(counted: ReadonlySet<Counted>): PipelineStatus {
  for (const [status, allowed] of alone) if ([...counted].every((one) => allowed.includes(one))) return status
  for (const [one, status] of among) if (counted.has(one)) return status
  return 'failed'
}

export function overallStatus(statuses: Iterable<Judged>): PipelineStatus {
  return compositeOf(new Set(Array.from(statuses, countedAs)))
}

const ended: ReadonlySet<PipelineStatus> = new Set(['success', 'failed', 'canceled', 'skipped'])

/** Whether it won't change by itself. */
export function hasCompleted(status: PipelineStatus): boolean {
  return ended.has(status)
}

/** Whether it has run: `finished_at` is set. */
export function hasEnded(status: PipelineStatus): boolean {
  return status === 'success' || status === 'failed' || status === 'canceled'
}

/** The next status of a pipeline: once it has started it never becomes pending again, but stays running. */
export function nextStatus(current: PipelineStatus, overall: PipelineStatus): PipelineStatus {
  if (overall === 'created') return current
  if (overall !== 'pending' || !(current === 'running' || hasEnded(current))) return overall
  return 'running'
}
