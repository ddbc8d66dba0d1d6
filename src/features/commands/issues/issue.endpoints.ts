/** One issue (spec 4.2). */
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator, project, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { issueById, issueInPath } from '../../planning/issues/issues.ts'
import { presentTo } from './present.ts'

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
    handle: ({ app, user, issue, project }) => presentTo(app, user, project, issue),
  }),
  endpoint('GET /issues/:id', {
    summary: 'Get an issue of any project by its id',
    access: within(administrator(), anyIssue),
    reply: Issue,
    handle: ({ app, user, issue }) => presentTo(app, user, { id: issue.project_id }, issue),
  }),
]
