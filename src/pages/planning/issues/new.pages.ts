/** A new issue. */

import { Type } from 'typebox'
import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import { createIssue } from '../../../features/commands/issues/issues.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived, using } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { form, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { milestonesFor } from '../lists/names.ts'
import { issueFields, issueForm, requestOf } from './fields.ts'
import { sentences } from './sentences.ts'

const access = using('issues', unarchived(project('signed-in')))

/** Fields that links can prefill: `?issue[title]=…`. */
const prefilled = Type.Optional(
  Type.Object({
    title: Type.String({ default: '', maxLength: 1_000 }),
    description: Type.String({ default: '', maxLength: 100_000 }),
  }),
)

export const newIssuePages = [
  page('GET /:project/issues/new', {
    access,
    query: { issue: prefilled },
    show: ({ sent, ...context }) => newIssueView(context, untouched, sent.issue),
  }),
  action('POST /:project/issues', {
    limit: 'issues_create',
    access,
    form: { ...issueForm, title: Type.String() },
    async act({ app, actor, project, ip, agent = '', sent }) {
      const request = await requestOf(app, { project }, null, sent)
      const issue = await createIssue(app, actor, { ...request, title: sent.title }, { ip, user_agent: agent })
      return { redirect: issueAddress(project, issue.iid), notice: sentences.created(issue.iid) }
    },
    again: (context, typed) => newIssueView(context, typed),
  }),
]

async function newIssueView(
  context: Visit & ProjectGranted & SignedIn,
  typed: Typed,
  first?: { title: string; description: string },
): Promise<View> {
  const { app, project, level, user, token } = context
  const shown = { project, level, milestones: await milestonesFor(app, { project }), described: null, ...(first && { first }) }
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: t`New issue`,
      scripts: ['planning.js', textFieldScript],
      main: html`<h1>New issue</h1><div class="form-page">${problemsOf(typed.errors, Object.keys(issueForm))}${form(
        { action: issuesAddress(project), token, submit: t`Create the issue` },
        issueFields(typed, shown),
      )}</div>`,
    },
  )
}
