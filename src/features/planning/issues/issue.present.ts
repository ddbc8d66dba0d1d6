/** The reply about one issue to a user who reads, changes or creates it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Issue, User } from '../../../db/tables.ts'
import { isSubscribed } from '../issuables/issuables.ts'
import { describeIssues, describeNewIssue, presentIssue } from './issues.present.ts'

export async function presentIssueTo(app: App, user: User, project: Pick<LocatedProject, 'id'>, issue: Issue) {
  const [[described], subscribed] = await Promise.all([
    describeIssues(app.db, user, [issue]),
    isSubscribed(app.db, user.id, { kind: 'issue', id: issue.id }),
  ])
  return presentIssue(app.config, described as NonNullable<typeof described>, { within: project.id, subscribed })
}

/** For a new issue: its author participates in it. */
export async function presentNewIssue(app: App, author: User, project: Pick<LocatedProject, 'id' | 'full_path'>, issue: Issue) {
  return presentIssue(app.config, await describeNewIssue(app.db, author, project, issue), { within: project.id, subscribed: true })
}
