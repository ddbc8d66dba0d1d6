/** Access to merge requests: seeing them and working on them. `mergeRequestsVisibleTo` in visible.ts is the same rule for lists. */
import type { MergeRequest } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { may } from './permissions.ts'
import { holds } from './rule.ts'
import { mergeRequestRule } from './rules.ts'
import type { Viewer } from './visible.ts'

/**
 * Whether a user who can see the project can see its merge requests: they must be able to read the code, and the feature must be available
 * to them.
 */
export function canSeeMergeRequests(access: ProjectAccess, viewer: Viewer): boolean {
  return holds(mergeRequestRule, access, viewer, null)
}

/** Whether they may set labels, milestone, assignees and reviewers (`admin_merge_request` of the reference). */
export function canManageMergeRequests({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return may('manage_merge_requests', level)
}

/** Whether they may edit the title and description, close and reopen it: its author, its assignees, and developers. */
export function canUpdateMergeRequest(
  access: Pick<ProjectAccess, 'level'>,
  { author_id }: MergeRequest,
  assigneeIds: number[],
  viewer: Viewer,
): boolean {
  if (canManageMergeRequests(access)) return true
  return viewer !== null && (author_id === viewer.id || assigneeIds.includes(viewer.id))
}
