/** Data that belongs to an issue besides its text: participants, merge requests, and the client that sent it. */
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administratorOf, project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { slice } from '../../../http/reply/page.ts'
import { visibleParticipants } from '../../discussion/participation/participation.ts'
import { UserAgentDetail } from '../../instance/user-agents/user-agents.schema.ts'
import { presentUserAgent } from '../../instance/user-agents/user-agents.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { issueInPath } from '../../planning/issues/issues.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { listClosing, listMentioning, presentMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import { catchUpClosing } from '../merge-requests/merge-requests.ts'

const visibleIssue = within(project('signed-in'), issueInPath)

export const relatedToIssues = [
  listEndpoint('GET /projects/:id/issues/:issue_iid/participants', {
    summary: 'List the participants of an issue: author, assignees, commenters and those mentioned',
    access: visibleIssue,
    item: UserBrief,
    async handle({ app, project, level, issue, page }) {
      const { rows, total } = slice(await visibleParticipants(app.db, { kind: 'issue', row: issue, project, level }), page)
      return { rows: rows.map((user) => presentUserBrief(app.config, user)), total }
    },
  }),
  listEndpoint('GET /projects/:id/issues/:issue_iid/closed_by', {
    summary: 'List the merge requests that close an issue when they are merged',
    access: visibleIssue,
    item: MergeRequest,
    async handle({ app, user, project, issue, page }) {
      await catchUpClosing(app, project.id)
      const { rows, total } = await listClosing(app.db, user, issue.id, page)
      return { rows: await presentMergeRequests(app, rows, { within: project.id }), total }
    },
  }),
  listEndpoint('GET /projects/:id/issues/:issue_iid/related_merge_requests', {
    summary: 'List the merge requests that mention an issue',
    access: visibleIssue,
    item: MergeRequest,
    async handle({ app, user, project, issue, page }) {
      await catchUpClosing(app, project.id)
      const { rows, total } = await listMentioning(app.db, user, issue.id, page)
      return { rows: await presentMergeRequests(app, rows, { within: project.id }), total }
    },
  }),
  endpoint('GET /projects/:id/issues/:issue_iid/user_agent_detail', {
    summary: 'Get the client that created an issue',
    access: administratorOf(visibleIssue),
    reply: UserAgentDetail,
    handle: ({ app, issue }) => presentUserAgent(app.db, { issue_id: issue.id }),
  }),
]
