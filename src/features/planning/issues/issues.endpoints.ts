/** Issues: one, and lists of them (spec 4.2). */
import { endpoint } from '../../../http/endpoint.ts'
import { project } from '../../../http/rules.ts'
import { within } from '../../../http/within.ts'
import { isSubscribed } from '../participation/participation.ts'
import { issueInPath } from './issues.access.ts'
import { describeIssues, presentIssue } from './issues.present.ts'
import { Issue } from './issues.schema.ts'

export const issues = [
  endpoint('GET /projects/:id/issues/:issue_iid', {
    summary: 'Get an issue',
    access: within(project('signed-in'), issueInPath),
    reply: Issue,
    async handle({ app, user, issue, project }) {
      const [described] = await describeIssues(app.db, user, [issue])
      const subscribed = await isSubscribed(app.db, user.id, { issue_id: issue.id })
      return presentIssue(app.config, described as NonNullable<typeof described>, { within: project.id, subscribed })
    },
  }),
]
