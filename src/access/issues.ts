/** Access to an issue: seeing it and working on it. `issuesVisibleTo` in visible.ts is the same rule for lists. */
import type { Issue } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { may } from './permissions.ts'
import { holds } from './rule.ts'
import { isOwnIssue, issueRule } from './rules.ts'
import type { Viewer } from './visible.ts'

/**
 * Whether a user who can see the project can see the issue; a confidential issue is for its author, its assignees, and members from
 * reporter up.
 */
export function canSeeIssue(access: ProjectAccess, issue: Issue, assigneeIds: number[], viewer: Viewer): boolean {
  return holds(issueRule, access, viewer, { issue, assigneeIds })
}

/** Whether they may set labels, milestone, assignees and dates, and move it (`admin_issue` of the reference). */
export function canManageIssue({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return may('manage_issues', level)
}

/** Whether they may edit the title and description, close and reopen it. */
export function canUpdateIssue(access: Pick<ProjectAccess, 'level'>, issue: Issue, assigneeIds: number[], viewer: Viewer): boolean {
  return canManageIssue(access) || isOwnIssue.holds({ issue, assigneeIds }, viewer)
}
