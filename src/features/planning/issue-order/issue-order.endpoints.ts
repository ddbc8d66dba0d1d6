/** The position of an issue among those of its project (newer than release 11.3). */
import { Type } from 'typebox'
import { canUpdateIssue } from '../../../access/issues.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { type Condition, only, type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { peopleIds } from '../issuables/issuables.ts'
import { Issue } from '../issues/issues.schema.ts'
import { type IssueGranted, issueInPath, presentIssues } from '../issues/issues.ts'
import { placeInProject } from './issue-order.service.ts'

const mayUpdate: Condition<ProjectGranted & SignedIn & IssueGranted> = {
  description: 'the author, assignees and reporters',
  holds: async ({ level, issue, user }, { app }) =>
    canUpdateIssue({ level }, issue, await peopleIds(app.db, 'issue_assignees', issue.id), user),
}

export const issueOrder = [
  endpoint('PUT /projects/:id/issues/:issue_iid/reorder', {
    summary: 'Put an issue between others, as boards and lists by relative_position show them',
    access: only(within(unarchived(project('signed-in')), issueInPath), mayUpdate),
    body: {
      move_after_id: Type.Optional(Type.Unsafe<number>({ ...Id, description: 'Id of the issue that comes before it' })),
      move_before_id: Type.Optional(Type.Unsafe<number>({ ...Id, description: 'Id of the issue that comes behind it' })),
    },
    atLeastOne: ['move_after_id', 'move_before_id'],
    reply: Issue,
    fails: ['unprocessable'],
    async handle({ app, user, project, issue, body }) {
      const neighbours = { after_id: body.move_after_id, before_id: body.move_before_id }
      await placeInProject(app, project.id, user, issue.id, neighbours)
      const [presented] = await presentIssues(app, user, [issue], { within: project.id })
      return presented as NonNullable<typeof presented>
    },
  }),
]
