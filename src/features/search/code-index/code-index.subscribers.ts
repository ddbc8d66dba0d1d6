/** How the index of code reacts to events. */

import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isDeletion } from '../../../git/refs/ref-updates.ts'
import { noteWanted } from './code-index.queries.ts'

type Moved = EventOf<'refs_pushed' | 'project_restored'>

function hasMoved({ default_branch, changes }: Moved): boolean {
  return default_branch !== null && changes.some((change) => !isDeletion(change) && branchOf(change.ref) === default_branch)
}

/** Marks the index as behind, which searches report. */
export async function fallBehind(tx: Tx, event: Moved): Promise<void> {
  if (hasMoved(event)) await noteWanted(tx, event.project_id)
}

/** Null if the default branch has not moved. */
export function indexIfMoved(event: Moved): { project_id: number } | null {
  return hasMoved(event) ? { project_id: event.project_id } : null
}
