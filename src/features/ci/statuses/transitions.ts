/** State transitions of a status. Pure functions; `ci/processing` combines statuses. */
import type { CommitStatus } from '../../../db/tables.ts'

export type State = CommitStatus['status']

/**
 * Why a status can't change to `wanted`; null if it can. A new status starts from `created`. An ended status is never changed; another one
 * is inserted instead.
 */
export function transitionError(from: State | 'created', wanted: State): string | null {
  if (wanted === 'pending' && from !== 'created') return refusal('enqueue', from)
  return wanted === 'running' && from === 'running' ? refusal('run', from) : null
}

function refusal(event: string, from: string): string {
  return `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`
}
