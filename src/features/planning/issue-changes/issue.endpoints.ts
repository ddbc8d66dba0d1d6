/** One issue (spec 4.2). */
import { endpoint } from '../../../http/endpoint.ts'
import { project } from '../../../http/rules.ts'
import { within } from '../../../http/within.ts'
import { Issue } from '../issues/issues.schema.ts'
import { issueInPath } from '../issues/issues.ts'
import { presentTo } from './present.ts'

export const issues = [
  endpoint('GET /projects/:id/issues/:issue_iid', {
    summary: 'Get an issue',
    access: within(project('signed-in'), issueInPath),
    reply: Issue,
    handle: ({ app, user, issue, project }) => presentTo(app, user, project, issue),
  }),
]
