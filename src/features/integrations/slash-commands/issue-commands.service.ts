/** Slash commands for issues: show, create, search, move, close and comment, like the API on behalf of the user. */

import { findProject } from '../../../access/find.ts'
import { canUpdateIssue } from '../../../access/issues.ts'
import type { App } from '../../../app.ts'
import type { Issue } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { moveIssue } from '../../commands/issue-moves/issue-moves.ts'
import { changeIssue, createIssue } from '../../commands/issues/issues.ts'
import { writeNote } from '../../commands/notes/notes.ts'
import type { Client } from '../../instance/user-agents/user-agents.ts'
import { type Actor, peopleIds } from '../../planning/issuables/issuables.ts'
import { describeIssues, findIssue, listIssues, presentIssue } from '../../planning/issues/issues.ts'
import type { Answer } from './answers.schema.ts'
import * as say from './answers.ts'
import type { Command } from './commands.ts'
import { issueAttachment, issueLine, type ShownIssue } from './issue-answers.ts'

const maxFound = 5

type OnIssues = Exclude<Command, { name: 'deploy' }>

/** Throws failures of the API: 403 and 404 for what the user may not do or see, 400 for invalid input. */
export async function runOnIssue(app: App, actor: Actor, command: OnIssues, client: Client): Promise<Answer> {
  const find = (iid: number) => findIssue(app.db, actor, iid, actor.user)
  const { full_path } = actor.project
  if (command.name === 'issue search') return search(app, actor, command.query)
  if (command.name === 'issue show') {
    const issue = await find(command.iid)
    const attachments = [await attachmentOf(app, actor, issue, [`Issue #${issue.iid} of ${full_path}`], { withState: true })]
    return issue.confidential ? { ...say.inChannel({ attachments }), response_type: 'ephemeral' } : say.inChannel({ attachments })
  }
  if (actor.project.archived) throw forbidden()
  switch (command.name) {
    case 'issue new': {
      const { title, description } = command
      const issue = await createIssue(app, actor, { title, description }, client)
      return say.inChannel({
        attachments: [await attachmentOf(app, actor, issue, [`New issue of @${actor.user.username} in ${full_path}`])],
      })
    }
    case 'issue move': {
      const target = await findProject(app.db, command.path, actor.user)
      const issue = await find(command.iid)
      const moved = await moveIssue(app, actor, issue, target.project.id)
      return toldOf(app, actor, moved, [`Moved #${issue.iid} of ${full_path} to ${target.project.full_path}`])
    }
    case 'issue close': {
      const issue = await find(command.iid)
      const assignees = await peopleIds(app.db, 'issue_assignees', issue.id)
      if (!canUpdateIssue(actor, issue, assignees, actor.user)) throw forbidden()
      if (issue.state === 'closed') return say.privately([`Issue #${issue.iid} is closed already.`])
      return toldOf(app, actor, await changeIssue(app, actor, issue, { state_event: 'close' }), [`Closed #${issue.iid} of ${full_path}`])
    }
    case 'issue comment': {
      const issue = await find(command.iid)
      await writeNote(app, actor.user, { kind: 'issue', row: issue, project: actor.project, level: actor.level }, { body: command.body })
      return toldOf(app, actor, issue, [`New comment of @${actor.user.username} on #${issue.iid} of ${full_path}`])
    }
  }
}

/** Replies about confidential issues are only visible to the user who sent the command. */
async function toldOf(app: App, actor: Actor, issue: Issue, pretext: string[]): Promise<Answer> {
  const answer = say.inChannel({ attachments: [await attachmentOf(app, actor, issue, pretext)] })
  return issue.confidential ? { ...answer, response_type: 'ephemeral' } : answer
}

async function search(app: App, actor: Actor, words: string): Promise<Answer> {
  const filter = { search: words, sort: 'desc' } as const
  const { rows } = await listIssues(app.db, actor.user, { project_id: actor.project.id }, filter, { limit: maxFound, offset: 0 })
  if (rows.length === 0) return say.nothingFound()
  const shown = await shownIssues(app, actor, rows)
  const heading =
    rows.length === maxFound
      ? `The first ${maxFound} issues that were found:`
      : rows.length === 1
        ? 'One issue was found:'
        : 'Issues that were found:'
  return say.privately([heading], shown.map(issueLine))
}

async function attachmentOf(app: App, actor: Actor, issue: Issue, pretext: string[], form?: { withState: boolean }) {
  const [shown] = await shownIssues(app, actor, [issue])
  return issueAttachment(shown as ShownIssue, pretext, form)
}

async function shownIssues(app: App, { user }: Actor, issues: Issue[]): Promise<ShownIssue[]> {
  return (await describeIssues(app.db, user, issues)).map((described) => presentIssue(app.config, described))
}
