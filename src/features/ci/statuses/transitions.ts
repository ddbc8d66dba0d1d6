/** State transitions of a status. Pure functions; what many statuses come to is in `ci/processing`. */
import type { CommitStatus } from '../../../db/tables.ts'

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
