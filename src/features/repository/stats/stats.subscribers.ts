/** Reactions of the statistics of repositories to events of other features. */
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isDeletion } from '../../../git/refs/ref-updates.ts'

/** Counts follow the default branch: null if it has not moved. */
export function countIfDefaultBranchMoved(event: EventOf<'refs_pushed' | 'project_restored'>): { project_id: number } | null {
  const { project_id, default_branch, changes } = event
  const hasMoved = changes.some((change) => !isDeletion(change) && branchOf(change.ref) === default_branch)
  return default_branch !== null && hasMoved ? { project_id } : null
}
