/** Access to an issue: seeing it and working on it. For lists, `issuesVisibleTo` in visible.ts says the same in SQL. */
import type { Issue } from '../db/tables.ts'
import { mayUse } from './features.ts'
import type { ProjectAccess } from './find.ts'
import { may } from './permissions.ts'
import type { Viewer } from './visible.ts'

/** Whether somebody who can see the project can see the issue: a confidential one, its author, its assignees and reporters can. */
export function canSeeIssue(access: ProjectAccess, issue: Issue, assigneeIds: number[], viewer: Viewer): boolean {
  if (!mayUse('issues', access)) return false
  if (!issue.confidential || may('read_confidential_issues', access.level)) return true
  return viewer !== null && (issue.author_id === viewer.id || assigneeIds.includes(viewer.id))
}

/** Whether they may set labels, milestone, assignees and dates, and move it (`admin_issue` of the reference). */
export function canManageIssue({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return may('manage_issues', level)
}

/** Whether they may edit title and description, close and reopen it. */
export function canUpdateIssue(access: Pick<ProjectAccess, 'level'>, issue: Issue, assigneeIds: number[], viewer: Viewer): boolean {
  if (canManageIssue(access)) return true
  return viewer !== null && (issue.author_id === viewer.id || assigneeIds.includes(viewer.id))
}
