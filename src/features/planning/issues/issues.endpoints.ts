/** One issue (spec 4.2). */
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator, project, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { presentIssueTo } from './issue.present.ts'
import { issueInPath } from './issues.access.ts'
import { issueById } from './issues.queries.ts'
import { Issue } from './issues.schema.ts'

const anyIssue = nested({ id: Id }, async (_: SignedIn, { id }, app) => {
  const issue = await issueById(app.db, id)
  if (!issue) throw notFound('Issue')
  return { issue }
})

export const issues = [
  endpoint('GET /projects/:id/issues/:issue_iid', {
    summary: 'Get an issue',
    access: within(project('signed-in'), issueInPath),
    reply: Issue,
    handle: ({ app, user, issue, project }) => presentIssueTo(app, user, project, issue),
  }),
  endpoint('GET /issues/:id', {
    summary: 'Get an issue of any project by its id',
    access: within(administrator(), anyIssue),
    reply: Issue,
    handle: ({ app, user, issue }) => presentIssueTo(app, user, { id: issue.project_id }, issue),
  }),
]
