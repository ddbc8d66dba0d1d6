/** Creating, editing and deleting issues (the reference's documentation of issues; spec 4.2 names no writes). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none, Off } from '../../../http/parameters/schema.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { issueInPath, presentIssueTo, presentNewIssue } from '../../planning/issues/issues.ts'
import { cloneIssue, moveIssue } from '../issue-moves/issue-moves.ts'
import { editableIssue } from './issues.access.ts'
import { issueChange, issueChangeNames, maxText_bytes, newIssue } from './issues.schema.ts'
import { changeIssue, createIssue, removeIssue } from './issues.service.ts'
import { relatedToIssues } from './related.endpoints.ts'
import { timeTracking } from './time-tracking.endpoints.ts'

export const issueWrites = [
  endpoint('POST /projects/:id/issues', {
    limit: 'issues_create',
    summary: 'Create an issue',
    access: using('issues', unarchived(project('signed-in'))),
    body: newIssue,
    maxBody_bytes: maxText_bytes,
    reply: Issue,
    async handle({ app, user, project, actor, ip, user_agent, body }) {
      const issue = await createIssue(app, actor, body, { ip, user_agent })
      return presentNewIssue(app, user, project, issue)
    },
  }),
  endpoint('PUT /projects/:id/issues/:issue_iid', {
    summary: 'Update an issue',
    access: editableIssue,
    body: issueChange,
    atLeastOne: issueChangeNames,
    maxBody_bytes: maxText_bytes,
    reply: Issue,
    async handle({ app, user, project, actor, issue, body }) {
      return presentIssueTo(app, user, project, await changeIssue(app, actor, issue, body))
    },
  }),
  endpoint('DELETE /projects/:id/issues/:issue_iid', {
    summary: 'Delete an issue with everything on it',
    access: within(unarchived(project('delete_issues')), issueInPath),
    reply: none,
    lastChanged: ({ issue }) => issue.updated_at,
    async handle({ app, actor, issue }) {
      await removeIssue(app, actor, issue)
      return null
    },
  }),
  endpoint('POST /projects/:id/issues/:issue_iid/move', {
    summary: 'Move an issue to another project',
    access: within(unarchived(project('signed-in')), issueInPath),
    body: { to_project_id: Type.Integer({ description: 'A project in which the caller is at least reporter' }) },
    reply: Issue,
    async handle({ app, user, project, actor, issue, body: { to_project_id } }) {
      const moved = await moveIssue(app, actor, issue, to_project_id)
      return presentIssueTo(app, user, project, moved)
    },
  }),
  endpoint('POST /projects/:id/issues/:issue_iid/clone', {
    summary: 'Clone an issue, in its project or to another one',
    access: within(unarchived(project('signed-in')), issueInPath),
    body: {
      to_project_id: Type.Integer({ description: 'A project in which the caller is at least reporter' }),
      with_notes: Type.Unsafe<boolean>({ ...Off, description: 'Whether its comments are copied, too' }),
    },
    reply: Issue,
    async handle({ app, user, project, actor, issue, body }) {
      return presentIssueTo(app, user, project, await cloneIssue(app, actor, issue, body))
    },
  }),
  ...relatedToIssues,
  ...timeTracking,
]
