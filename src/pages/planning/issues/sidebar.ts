/** The sidebar of an issue: assignee, due date and classification, with a form for each for users who may plan. */

import { canManageIssue } from '../../../access/issues.ts'
import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import type { DescribedIssue } from '../../../features/planning/issues/issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { field } from '../../frame/forms.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import {
  assigneeSection,
  type BesideAll,
  labelsSection,
  listOfPeople,
  lockLine,
  milestoneSection,
  ownButtons,
  participantsSection,
  switchLine,
  timeSection,
} from '../discussion/details.ts'
import { type Editor, editorOf, noneYet, section } from '../discussion/side.ts'
import { dueDay } from './parts.ts'
import type { IssueSeen } from './seen.ts'
import { sentences } from './sentences.ts'

export interface Beside extends BesideAll {
  described: DescribedIssue
}

const names = ['assignee', 'labels', 'milestone_id', 'due_date', 'estimate', 'spent', 'to'] as const

export function sidebar(seen: IssueSeen, beside: Beside): Html {
  const { app, project, token } = seen
  const { described, milestones, refused } = beside
  const { issue, assignees, labels, milestone } = described
  const address = issueAddress(project, issue.iid)
  const isAllowed = canManageIssue(seen) && !project.archived
  const edit = editorOf({ isAllowed, action: `${address}/details`, token, refused, names })
  return html`
    <aside class="issue-side" aria-label="Details">
      ${ownButtons(address, token, beside.own)}
      ${assigneeSection(project, listOfPeople(app, assignees), assignees, edit)}
      ${labelsSection(project, labels, issuesAddress(project), edit)}${milestoneSection(milestone, milestones, edit)}
      ${section(
        t`Due date`,
        issue.due_date === null ? noneYet(t`None`) : html`<p>${dueDay(issue.due_date, issue.state === 'opened')}</p>`,
        edit('due_date', (typed) => field(t`Day`, 'due_date', typed, { type: 'date', value: issue.due_date ?? '' }), {
          label: t`due date`,
        }),
      )}
      ${timeSection(issue, edit)}${isAllowed && switches(seen)}${participantsSection(app, beside.participants)}
      ${moving(seen, edit)}
      ${section(t`Reference`, copyable(t`Reference of this issue`, `${project.full_path}#${issue.iid}`))}
    </aside>
  `
}

/** The form that moves it to another project; a link to the new issue once it has moved. */
function moving({ issue, level, project }: IssueSeen, edit: Editor): Html | null {
  if (issue.moved_to_id !== null) return section(t`Moved`, html`<p class="hint">${sentences.movedAway}</p>`)
  if (!canManageIssue({ level }) || project.archived) return null
  return section(
    t`Project`,
    html`<p>${isolated(project.full_path)}</p>`,
    edit('to', (typed) => field(t`To project`, 'to', typed, { required: true, autocomplete: 'off', hint: sentences.moveHint }), {
      summary: t`Move`,
      submit: t`Move`,
      action: `${issueAddress(project, issue.iid)}/move`,
    }),
  )
}

/** Confidentiality, and whether the discussion is locked. */
function switches({ project, issue, token }: IssueSeen): Html {
  const to = { action: `${issueAddress(project, issue.iid)}/details`, token }
  const { confidential } = issue
  const shown = switchLine(confidential ? t`Confidential` : t`Not confidential`, confidential ? t`Show to all` : t`Make confidential`, {
    ...to,
    fields: { confidential: String(!confidential) },
  })
  return section(t`Access`, html`<ul class="plain switches">${shown}${lockLine(issue.discussion_locked === true, to)}</ul>`)
}
