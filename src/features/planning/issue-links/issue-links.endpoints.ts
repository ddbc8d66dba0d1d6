/** Links between issues, newer than release 11.3 (the current public documentation of the API). */
import { Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { issueInPath } from '../issues/issues.ts'
import { presentLink, presentLinked } from './issue-links.present.ts'
import { listLinked } from './issue-links.queries.ts'
import { IssueLink, LinkedIssue, LinkType } from './issue-links.schema.ts'
import { findLink, linkIssues, unlinkIssues } from './issue-links.service.ts'

const issue = within(project('signed-in'), issueInPath)

const managed = unarchived(only(issue, allowed('manage_issues')))

const params = { issue_link_id: Id }

const fromHere = { default: 'relates_to', description: 'As seen from the issue in the path' } as const

export const issueLinks = [
  listEndpoint('GET /projects/:id/issues/:issue_iid/links', {
    summary: 'List the issues linked with an issue',
    access: issue,
    item: LinkedIssue,
    async handle({ app, user, issue, page }) {
      const { rows, total } = await listLinked(app.db, user, issue.id, page)
      return { rows: await presentLinked(app, user, issue, rows), total }
    },
  }),
  endpoint('POST /projects/:id/issues/:issue_iid/links', {
    summary: 'Link two issues',
    access: managed,
    body: {
      target_project_id: Type.String({ description: 'Id or full path of the project of the other issue' }),
      target_issue_iid: Id,
      link_type: Type.Unsafe<'relates_to' | 'blocks' | 'is_blocked_by'>({ ...LinkType, ...fromHere }),
    },
    reply: IssueLink,
    fails: ['conflict', 'unprocessable'],
    handle: async ({ app, user, issue, body }) => presentLink(app, user, await linkIssues(app, user, issue, body)),
  }),
  endpoint('GET /projects/:id/issues/:issue_iid/links/:issue_link_id', {
    summary: 'Get a link between two issues',
    access: issue,
    params,
    reply: IssueLink,
    handle: async ({ app, user, issue, params }) => presentLink(app, user, await findLink(app, user, issue, params.issue_link_id)),
  }),
  endpoint('DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id', {
    summary: 'Delete a link between two issues',
    access: managed,
    params,
    reply: IssueLink,
    lastChanged: async ({ app, user, issue, params }) => (await findLink(app, user, issue, params.issue_link_id)).link.updated_at,
    handle: async ({ app, user, issue, params }) => presentLink(app, user, await unlinkIssues(app, user, issue, params.issue_link_id)),
  }),
]
