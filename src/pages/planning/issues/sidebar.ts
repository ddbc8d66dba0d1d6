/** What stands beside an issue: who works on it, until when, how it is classified; with a form for each, for those who may plan. */
import { canManageIssue } from '../../../access/issues.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { type DescribedIssue, humanDuration } from '../../../features/planning/issues/issues.ts'
import { milestoneUrl, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, postButton, select } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { count } from '../../frame/phrases.ts'
import { face, person } from '../../project/people.ts'
import { type Editor, editorOf, noneYet, section } from '../discussion/side.ts'
import { milestoneChoices, namesField } from './fields.ts'
import { dueDay, issueAddress, issuesAddress, labelTag } from './parts.ts'
import type { IssueSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** What is read for it besides the issue. */
export interface Beside {
  described: DescribedIssue
  /** To choose from; empty for those who can't. */
  milestones: readonly PlacedMilestone[]
  participants: readonly UserInBrief[]
  /** Null for visitors. */
  own: { isSubscribed: boolean; hasTodo: boolean } | null
  /** A form of it that was refused. */
  refused: Typed | null
}

const names = ['assignee', 'labels', 'milestone_id', 'due_date', 'estimate', 'spent', 'to'] as const

export function sidebar(seen: IssueSeen, beside: Beside): Html {
  const { app, project } = seen
  const { described, milestones, refused } = beside
  const { issue, assignees, labels, milestone } = described
  const list = issuesAddress(project)
  const edit = editorOf({
    isAllowed: canManageIssue(seen) && !project.archived,
    action: `${issueAddress(project, issue.iid)}/details`,
    token: seen.token,
    refused,
    names,
  })
  const assignee = html`${assignees.length === 0 ? noneYet('Nobody') : html`<ul class="plain">${assignees.map((user) => html`<li>${person(app, user)}</li>`)}</ul>`}`
  const ofMilestone = milestone && milestoneUrl(app.config, milestone).slice(app.config.url.length)
  return html`<aside class="issue-side" aria-label="Details">${ownButtons(seen, beside)}
${section(
  'Assignee',
  assignee,
  edit('assignee', (typed) => namesField('Username', 'assignee', typed, '@', project, { value: assignees[0]?.username ?? '' }), {
    key: 'a',
    label: 'assignee',
  }),
)}
${section(
  'Labels',
  labels.length === 0 ? noneYet('None') : html`<p class="labels">${labels.map((label) => labelTag(label, list))}</p>`,
  edit(
    'labels',
    (typed) =>
      namesField('Names', 'labels', typed, '~', project, {
        value: labels.map(({ title }) => title).join(', '),
        hint: sentences.labelsHint,
      }),
    { key: 'l', label: 'labels' },
  ),
)}
${section(
  'Milestone',
  milestone === null ? noneYet('None') : html`<p><a href="${ofMilestone ?? ''}">${isolated(milestone.title)}</a></p>`,
  edit(
    'milestone_id',
    (typed) =>
      select('Milestone', 'milestone_id', typed, milestoneChoices(milestones, milestone), { value: String(issue.milestone_id ?? 0) }),
    { key: 'm', label: 'milestone' },
  ),
)}
${section(
  'Due date',
  issue.due_date === null ? noneYet('None') : html`<p>${dueDay(issue.due_date, issue.state === 'opened')}</p>`,
  edit('due_date', (typed) => field('Day', 'due_date', typed, { type: 'date', value: issue.due_date ?? '' }), { label: 'due date' }),
)}
${section(
  'Time',
  timeOf(issue),
  html`${edit('spent', (typed) => field('Time spent', 'spent', typed, { hint: sentences.spentHint, autocomplete: 'off' }), { summary: 'Add time' })}${edit(
    'estimate',
    (typed) =>
      field('Estimate', 'estimate', typed, {
        value: humanDuration(issue.time_estimate) ?? '',
        hint: sentences.estimateHint,
        autocomplete: 'off',
      }),
    { summary: 'Estimate' },
  )}`,
)}
${switches(seen)}
${section(count(beside.participants.length, 'participant'), html`<p class="faces">${beside.participants.slice(0, maxFaces).map((user) => face(app, user, ''))}</p>`)}
${moving(seen, edit)}
${section('Reference', copyable('Reference of this issue', `${project.full_path}#${issue.iid}`))}
</aside>`
}

const maxFaces = 40

/** Into another project; where it went, once it has moved. */
function moving({ issue, level, project }: IssueSeen, edit: Editor): Html | null {
  if (issue.moved_to_id !== null) return section('Moved', html`<p class="hint">${sentences.movedAway}</p>`)
  if (!canManageIssue({ level }) || project.archived) return null
  return section(
    'Project',
    html`<p>${isolated(project.full_path)}</p>`,
    edit('to', (typed) => field('To project', 'to', typed, { required: true, autocomplete: 'off', hint: sentences.moveHint }), {
      summary: 'Move',
      submit: 'Move',
      action: `${issueAddress(project, issue.iid)}/move`,
    }),
  )
}

/** What one has to do with it oneself. */
function ownButtons({ project, issue, token }: IssueSeen, { own }: Beside): Html | null {
  if (own === null) return null
  const address = issueAddress(project, issue.iid)
  return html`<section class="own"><h2 class="unseen">For you</h2>${postButton(own.hasTodo ? 'Mark as done' : 'Add a to-do', {
    action: `${address}/todo`,
    token,
    fields: { pending: own.hasTodo ? 'false' : 'true' },
  })} ${postButton(own.isSubscribed ? 'Unsubscribe' : 'Subscribe', {
    action: `${address}/subscription`,
    token,
    fields: { subscribed: own.isSubscribed ? 'false' : 'true' },
  })}</section>`
}

/** Who sees it, and who may comment. */
function switches({ project, level, issue, token }: IssueSeen): Html | null {
  const isAllowed = canManageIssue({ level }) && !project.archived
  if (!isAllowed) return null
  const action = `${issueAddress(project, issue.iid)}/details`
  const isLocked = issue.discussion_locked === true
  const one = (fact: string, button: string, fields: Record<string, string>) =>
    html`<li><span>${fact}</span> ${postButton(button, { action, token, fields })}</li>`
  return section(
    'Access',
    html`<ul class="plain switches">${one(
      issue.confidential ? 'Confidential' : 'Not confidential',
      issue.confidential ? 'Show to all' : 'Make confidential',
      { confidential: String(!issue.confidential) },
    )}${one(isLocked ? 'Discussion locked' : 'Discussion open', isLocked ? 'Unlock' : 'Lock', { discussion_locked: String(!isLocked) })}</ul>`,
  )
}

function timeOf({ time_estimate, total_time_spent }: DescribedIssue['issue']): Html {
  const spent = humanDuration(total_time_spent)
  const estimate = humanDuration(time_estimate)
  if (spent === null && estimate === null) return html`<p class="hint">Nothing spent, nothing estimated</p>`
  const bar =
    estimate !== null &&
    html`<meter aria-label="Time spent of the estimate" value="${total_time_spent}" max="${Math.max(time_estimate, total_time_spent)}" high="${time_estimate}"></meter>`
  return html`<p>${spent ?? '0h'} spent${estimate !== null && ` of ${estimate}`}</p>${bar}`
}
