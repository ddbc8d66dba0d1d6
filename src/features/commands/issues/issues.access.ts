/** Access rules for changing issues. */
import { canUpdateIssue } from '../../../access/issues.ts'
import { type Condition, only, type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { type IssueGranted, issueInPath } from '../../planning/issues/issues.ts'

const editing: Condition<ProjectGranted & SignedIn & IssueGranted> = {
  description: 'its author, its assignees and members with at least the role reporter',
  async holds({ level, user, issue }, { app }) {
    return canUpdateIssue({ level }, issue, await peopleIds(app.db, 'issue_assignees', issue.id), user)
  },
}

/** Grants the issue in the path to users who may edit it. */
export const editableIssue = only(within(unarchived(project('signed-in')), issueInPath), editing)
