/** Rows of merge requests and of their notes from an archive. */
import { refError } from '../../../git/refs/names.ts'
import { isDraft } from '../../review/merge-requests/merge-requests.ts'
import { archiveError, type PlanningTable } from '../archive/archive.ts'
import type { Line, RestoringPlanning } from './restoring.ts'

/** Adds derived columns, and converts others. */
export function addReview({ project_id }: Pick<RestoringPlanning, 'project_id'>, table: PlanningTable, line: Line, row: Line): void {
  if (table === 'merge_requests') addSource(project_id, line, row)
  if (table === 'notes') addPosition(line, row)
}

/**
 * Archives don't contain forks: an open merge request from one is closed here, with its commits and notes. Mergeability is checked at the
 * next access, and an automatic merge is not imported, as it would be in the name of others.
 */
function addSource(project_id: number, { own_source, state, title, updated_at, source_branch, target_branch }: Line, row: Line): void {
  for (const name of [source_branch, target_branch])
    if (refError(`refs/heads/${name}`) !== null) throw archiveError('has a merge request between branches whose names are invalid')
  row.draft = isDraft(title as string)
  row.source_project_id = own_source ? project_id : null
  if (own_source || state !== 'opened') return
  row.state = 'closed'
  row.closed_at = updated_at
}

/** A note that claims to be on a line without a position becomes a plain note of the discussion. */
function addPosition({ type, original_position = null, position = null, outdated_by = null }: Line, row: Line): void {
  row.original_position = original_position && JSON.stringify(original_position)
  row.position = position && JSON.stringify(position)
  row.outdated_by = position && outdated_by && JSON.stringify((outdated_by as { change: unknown }).change)
  if (type === 'DiffNote' && (original_position === null || position === null)) row.type = 'DiscussionNote'
}
