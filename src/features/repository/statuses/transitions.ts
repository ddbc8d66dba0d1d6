/** State transitions of a status, and of the pipeline that its statuses make up. Pure functions. */
import type { CommitStatus, PipelineStatus } from '../../../db/tables.ts'

export type State = CommitStatus['status']

/**
 * Why a status can't change to `wanted`; null where it can. A new status comes from `created`; one that has ended is not
 * changed any more: another is inserted in its place.
 */
export function transitionError(from: State | 'created', wanted: State): string | null {
  if (wanted === 'pending' && from !== 'created') return refusal('enqueue', from)
  return wanted === 'running' && from === 'running' ? refusal('run', from) : null
}

function refusal(event: string, from: string): string {
  return `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`
}

const ended: readonly string[] = ['success', 'failed', 'canceled']

/** Whether the state is final. */
export function hasEnded(status: PipelineStatus): boolean {
  return ended.includes(status)
}

/** How many of the latest statuses of a pipeline are in one state. */
export interface Tally {
  status: PipelineStatus
  allow_failure: boolean
  count: number
}

/** The state of a pipeline with these statuses. Allowed failures don't count. */
export function overallStatus(tallies: Tally[]): PipelineStatus {
  const ignored = ({ allow_failure, status }: Tally) => allow_failure && (status === 'failed' || status === 'canceled')
  const relevant = tallies.filter((tally) => !ignored(tally))
  const all = sum(relevant)
  const are = (...states: PipelineStatus[]) => sum(relevant.filter(({ status }) => states.includes(status))) === all
  const some = (...states: PipelineStatus[]) => relevant.some(({ status, count }) => count > 0 && states.includes(status))
  if (are('skipped')) return tallies.some(ignored) ? 'success' : 'skipped'
  if (are('created')) return 'created'
  if (are('success', 'skipped')) return 'success'
  if (are('success', 'skipped', 'canceled')) return 'canceled'
  if (are('created', 'skipped', 'pending')) return 'pending'
  return some('running', 'pending', 'created') ? 'running' : 'failed'
}

/** The next state of a pipeline: one that has started never becomes pending again, it runs. */
export function nextStatus(current: PipelineStatus, overall: PipelineStatus): PipelineStatus {
  if (overall === 'created') return current
  if (overall !== 'pending' || current === 'created' || current === 'skipped') return overall
  return current === 'pending' ? 'pending' : 'running'
}

function sum(tallies: Tally[]): number {
  return tallies.reduce((total, { count }) => total + count, 0)
}
