/** Issues in a path. */
import { asId, findProject } from '../../../access/find.ts'
import { userOf } from '../../../access/principals.ts'
import type { Issue } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Access, anyone, type Granted, type ProjectGranted } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { issueById } from './issues.queries.ts'
import { findIssue } from './issues.service.ts'

export interface IssueGranted {
  issue: Issue
}

/** Grants the issue in `:issue_iid`, if the caller can see it: `within(project('signed-in'), issueInPath)`. */
export const issueInPath = nested({ issue_iid: Id }, async ({ project, level, user }: ProjectGranted, { issue_iid }, app) => ({
  issue: await findIssue(app.db, { project, level }, issue_iid, user),
}))

/** Grants the issue with the global id `:id` to users who can see it. */
export function visibleIssue(): Access<Granted & IssueGranted & { level: number }> {
  return {
    ...anyone(),
    description: 'Whoever can see the issue.',
    signedInDescription: 'Any signed-in user who can see the issue.',
    async grant({ app, principal, params }) {
      const user = userOf(principal)
      const found = await issueById(app.db, asId(params.id ?? '') ?? 0)
      if (!found) throw notFound('Issue')
      const access = await findProject(app.db, String(found.project_id), user)
      return { user, level: access.level, issue: await findIssue(app.db, access, found.iid, user) }
    },
  }
}
