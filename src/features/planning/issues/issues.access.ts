/** Issues in a path. */
import type { Issue } from '../../../db/tables.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import { Id } from '../../../http/schema.ts'
import { nested } from '../../../http/within.ts'
import { findIssue } from './issues.service.ts'

export interface IssueGranted {
  issue: Issue
}

/** The issue in `:issue_iid`, if the caller can see it: `within(project('signed-in'), issueInPath)`. */
export const issueInPath = nested({ issue_iid: Id }, async ({ project, level, user }: ProjectGranted, { issue_iid }, app) => ({
  issue: await findIssue(app.db, { project, level }, issue_iid, user),
}))
