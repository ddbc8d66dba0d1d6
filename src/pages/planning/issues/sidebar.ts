/** What stands beside an issue: who works on it, until when, how it is classified; with a form for each, for those who may plan. */
import { canManageIssue } from '../../../access/issues.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { type DescribedIssue, humanDuration } from '../../../features/planning/issues/issues.ts'
import { milestoneUrl, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { count } from '../../frame/phrases.ts'
import { face, person } from '../../project/people.ts'
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
type Name = (typeof names)[number]

export function sidebar(seen: IssueSeen, beside: Beside): Html {
  const { app, project } = seen
  const { described, milestones, refused } = beside
  const { issue, assignees, labels, milestone } = described
  const list = issuesAddress(project)
  const none = (words: string) => html`<p class="hint">${words}</p>`
  const edit = editor(seen, refused)
  const assignee = html`${assignees.length === 0 ? none('Nobody') : html`<ul class="plain">${assignees.map((user) => html`<li>${person(app, user)}</li>`)}</ul>`}`
  const ofMilestone = milestone && milestoneUrl(app.config, milestone).slice(app.config.url.length)
  return html`<aside class="issue-side" aria-label="Details">${ownButtons(seen, beside)}
${section(
  'Assignee',
  assignee,
  edit('assignee', 'a', (typed) => namesField('Username', 'assignee', typed, '@', project, { value: assignees[0]?.username ?? '' })),
)}
${section(
  'Labels',
  labels.length === 0 ? none('None') : html`<p class="labels">${labels.map((label) => labelTag(label, list))}</p>`,
  edit('labels', 'l', (typed) =>
    namesField('Names', 'labels', typed, '~', project, { value: labels.map(({ title }) => title).join(', '), hint: sentences.labelsHint }),
  ),
)}
${section(
  'Milestone',
  milestone === null ? none('None') : html`<p><a href="${ofMilestone ?? ''}">${isolated(milestone.title)}</a></p>`,
  edit('milestone_id', 'm', (typed) =>
    select('Milestone', 'milestone_id', typed, milestoneChoices(milestones, milestone), { value: String(issue.milestone_id ?? 0) }),
  ),
)}
${section(
  'Due date',
  issue.due_date === null ? none('None') : html`<p>${dueDay(issue.due_date, issue.state === 'opened')}</p>`,
  edit('due_date', null, (typed) => field('Day', 'due_date', typed, { type: 'date', value: issue.due_date ?? '' })),
)}
${section(
  'Time',
  timeOf(issue),
  html`${edit('spent', null, (typed) => field('Time spent', 'spent', typed, { hint: sentences.spentHint, autocomplete: 'off' }), 'Add time')}${edit(
    'estimate',
    null,
    (typed) =>
      field('Estimate', 'estimate', typed, {
        value: humanDuration(issue.time_estimate) ?? '',
        hint: sentences.estimateHint,
        autocomplete: 'off',
      }),
    'Estimate',
  )}`,
)}
${switches(seen)}
${section(count(beside.participants.length, 'participant'), html`<p class="faces">${beside.participants.slice(0, maxFaces).map((user) => face(app, user, ''))}</p>`)}
${moving(seen, edit)}
${section('Reference', copyable('Reference of this issue', `${project.full_path}#${issue.iid}`))}
</aside>`
}

const maxFaces = 40

function section(title: string, content: Html, edit: Html | null = null): Html {
  return html`<section><h2>${title}</h2>${content}${edit}</section>`
}

/** Into another project; where it went, once it has moved. */
function moving({ issue, level, project }: IssueSeen, edit: ReturnType<typeof editor>): Html | null {
  if (issue.moved_to_id !== null) return section('Moved', html`<p class="hint">${sentences.movedAway}</p>`)
  if (!canManageIssue({ level }) || project.archived) return null
  return section(
    'Project',
    html`<p>${isolated(project.full_path)}</p>`,
    edit(
      'to',
      null,
      (typed) => field('To project', 'to', typed, { required: true, autocomplete: 'off', hint: sentences.moveHint }),
      'Move',
    ),
  )
}

/** A form behind "Edit"; open where it was refused. Nothing for those who may not plan. */
function editor(seen: IssueSeen, refused: Typed | null) {
  const { project, level, issue, token } = seen
  const isAllowed = canManageIssue({ level }) && !project.archived
  const action = `${issueAddress(project, issue.iid)}/details`
  return (name: Name, key: string | null, fields: (typed: Typed) => Html, summary = 'Edit'): Html | null => {
    if (!isAllowed) return null
    const own = refused !== null && name in refused.values ? refused : null
    return html`<details class="edit"${own && html` open`}><summary${key !== null && html` data-key="${key}"`}>${summary}${summary === 'Edit' && html`<span class="unseen"> ${labelOf[name]}</span>`}</summary>${
      own && problemsOf(own.errors, names)
    }${form({ action: name === 'to' ? `${issueAddress(project, issue.iid)}/move` : action, token, submit: name === 'to' ? 'Move' : 'Save' }, fields(own ?? untouched))}</details>`
  }
}

const labelOf: Record<Name, string> = {
  assignee: 'assignee',
  labels: 'labels',
  milestone_id: 'milestone',
  due_date: 'due date',
  estimate: 'estimate',
  spent: 'time',
  to: 'project',
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
