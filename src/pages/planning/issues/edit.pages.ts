/** Edits a whole issue, and deletes it. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import { Failure } from '../../../failure.ts'
import { changeIssue, editableIssue, removeIssue } from '../../../features/commands/issues/issues.ts'
import { tickInIssue } from '../../../features/commands/tasks/tasks.ts'
import { type DescribedIssue, describeIssues, issueInPath } from '../../../features/planning/issues/issues.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, form, hidden, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { taskForm, tickIn } from '../../project/tasks.ts'
import { milestonesFor } from '../lists/names.ts'
import { issueFields, issueForm, requestOf } from './fields.ts'
import type { IssueSeen } from './seen.ts'
import { sentences } from './sentences.ts'

export const editIssuePages = [
  page('GET /:project/issues/:issue_iid/edit', { access: editableIssue, show: (context) => editView(context, untouched) }),
  action('POST /:project/issues/:issue_iid', {
    access: editableIssue,
    form: { ...issueForm, seen: Type.String({ default: '', maxLength: 100 }) },
    async act({ app, actor, project, issue, sent: { seen, ...sent } }) {
      const isOvertaken = (issue.last_edited_at ?? '') !== seen && sent.description !== (issue.description ?? '')
      if (isOvertaken) throw new Failure('conflict', sentences.overtaken)
      await changeIssue(app, actor, issue, await requestOf(app, { project }, issue, sent))
      return { redirect: issueAddress(project, issue.iid), notice: sentences.saved }
    },
    again: (context, typed) => editView(context, typed),
  }),
  action('POST /:project/issues/:issue_iid/tasks', {
    access: editableIssue,
    form: taskForm,
    async act({ app, actor, project, issue, sent }) {
      await tickInIssue(app, actor, issue, tickIn(sent))
      return { redirect: issueAddress(project, issue.iid) }
    },
  }),
  action('POST /:project/issues/:issue_iid/delete', {
    access: within(unarchived(project('delete_issues')), issueInPath),
    async act({ app, actor, project, issue }) {
      await removeIssue(app, actor, issue)
      return { redirect: issuesAddress(project), notice: sentences.deleted(issue.iid) }
    },
  }),
]

async function editView(context: IssueSeen & SignedIn, typed: Typed): Promise<View> {
  const { app, project, level, user, issue, token } = context
  const [described] = (await describeIssues(app.db, user, [issue])) as [DescribedIssue]
  const milestones = await milestonesFor(app, { project })
  const address = issueAddress(project, issue.iid)
  const deletion =
    may('delete_issues', level) &&
    dangerous(
      t`Delete the issue`,
      html`
        <p>${sentences.deletion}</p>
        ${form({ action: `${address}/delete`, token, submit: t`Delete the issue`, kind: 'danger' }, html``)}
      `,
    )
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: t`Edit #${issue.iid}`,
      scripts: ['planning.js', textFieldScript],
      main: html`
        <h1>Edit issue <a href="${address}">#${issue.iid}</a></h1>
        <div class="form-page">
          ${problemsOf(typed.errors, Object.keys(issueForm))}
          ${form(
            { action: address, token, submit: t`Save changes` },
            html`
              ${hidden({ seen: typed.values.seen ?? issue.last_edited_at ?? '' })}${issueFields(typed, {
                project,
                level,
                milestones,
                described,
              })}
            `,
          )}
          ${deletion}
        </div>
      `,
    },
  )
}
