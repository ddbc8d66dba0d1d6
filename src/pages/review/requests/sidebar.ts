/** What stands beside a merge request: who works on it and who reviews it, how it is classified; with a form for each, for those who may. */
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { humanDuration } from '../../../features/planning/issues/issues.ts'
import { milestoneUrl, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import type { Approval } from '../../../features/review/approvals/approvals.ts'
import type { DescribedMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, postButton, select } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, icon, isolated } from '../../frame/parts.ts'
import { count } from '../../frame/phrases.ts'
import { type Editor, editorOf, noneYet, section } from '../../planning/discussion/side.ts'
import { milestoneChoices, namesField } from '../../planning/issues/fields.ts'
import { labelTag } from '../../planning/issues/parts.ts'
import { face, person } from '../../project/people.ts'
import { mayEdit } from './frame.ts'
import { requestAddress, requestsAddress } from './parts.ts'
import type { RequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** What is read for it besides the merge request. */
export interface Beside {
  described: DescribedMergeRequest
  approvals: readonly Approval[]
  /** To choose from; empty for those who can't. */
  milestones: readonly PlacedMilestone[]
  participants: readonly UserInBrief[]
  /** Null for visitors. */
  own: { isSubscribed: boolean; hasTodo: boolean } | null
  /** A form of it that was refused. */
  refused: Typed | null
}

const names = ['assignee', 'reviewers', 'labels', 'milestone_id', 'estimate', 'spent'] as const

export function sidebar(seen: RequestSeen, beside: Beside): Html {
  const { app, project, merge_request, token } = seen
  const { described, milestones, refused } = beside
  const { labels, milestone } = described
  const action = `${requestAddress(project, merge_request.iid)}/details`
  const isPlanner = seen.user !== null && canManageMergeRequests(seen) && !project.archived
  const edit = editorOf({ isAllowed: isPlanner, action, token, refused, names })
  const ofMilestone = milestone && milestoneUrl(app.config, milestone).slice(app.config.url.length)
  return html`<aside class="issue-side" aria-label="Details">${ownButtons(seen, beside)}
${people(seen, beside, edit)}
${section(
  'Labels',
  labels.length === 0 ? noneYet('None') : html`<p class="labels">${labels.map((label) => labelTag(label, requestsAddress(project)))}</p>`,
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
      select('Milestone', 'milestone_id', typed, milestoneChoices(milestones, milestone), {
        value: String(merge_request.milestone_id ?? 0),
      }),
    { key: 'm', label: 'milestone' },
  ),
)}
${section('Time', timeOf(merge_request), timeForms(merge_request, edit))}
${lock(seen, described)}
${section(count(beside.participants.length, 'participant'), html`<p class="faces">${beside.participants.slice(0, maxFaces).map((user) => face(app, user, ''))}</p>`)}
${section('Reference', copyable('Reference of this merge request', `${project.full_path}!${merge_request.iid}`))}
${section('Source branch', copyable('Name of the source branch', merge_request.source_branch))}
</aside>`
}

const maxFaces = 40

function people({ app, project }: RequestSeen, { described, approvals }: Beside, edit: Editor): Html {
  const { assignees, reviewers } = described
  const namesOf = (users: readonly UserInBrief[]) => users.map(({ username }) => username).join(', ')
  const list = (users: readonly UserInBrief[]) =>
    users.length === 0
      ? noneYet('Nobody')
      : html`<ul class="plain">${users.map((user) => html`<li>${person(app, user)}${mark(user, approvals)}</li>`)}</ul>`
  const form = (label: string, name: string, users: readonly UserInBrief[]) => (typed: Typed) =>
    namesField(label, name, typed, '@', project, { value: namesOf(users), hint: sentences.peopleHint })
  return html`${section(
    'Assignee',
    list(assignees),
    edit('assignee', (typed) => namesField('Username', 'assignee', typed, '@', project, { value: assignees[0]?.username ?? '' }), {
      key: 'a',
      label: 'assignee',
    }),
  )}
${section('Reviewers', list(reviewers), edit('reviewers', form('Usernames', 'reviewers', reviewers), { key: 'w', label: 'reviewers' }))}`
}

function mark({ id }: UserInBrief, approvals: readonly Approval[]): Html | false {
  return (
    approvals.some(({ user }) => user.id === id) &&
    html` <span class="approved" title="Has approved">${icon('check')}<span class="unseen">has approved</span></span>`
  )
}

/** What one has to do with it oneself. */
function ownButtons({ project, merge_request, token }: RequestSeen, { own }: Beside): Html | null {
  if (own === null) return null
  const address = requestAddress(project, merge_request.iid)
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

function lock(seen: RequestSeen, described: DescribedMergeRequest): Html | null {
  if (!mayEdit(seen, described)) return null
  const { project, merge_request, token } = seen
  const isLocked = merge_request.discussion_locked === true
  const button = postButton(isLocked ? 'Unlock' : 'Lock', {
    action: `${requestAddress(project, merge_request.iid)}/lock`,
    token,
    fields: { discussion_locked: String(!isLocked) },
  })
  return section(
    'Access',
    html`<ul class="plain switches"><li><span>${isLocked ? 'Discussion locked' : 'Discussion open'}</span> ${button}</li></ul>`,
  )
}

type Times = DescribedMergeRequest['merge_request']

function timeForms({ time_estimate }: Times, edit: Editor): Html {
  return html`${edit('spent', (typed) => field('Time spent', 'spent', typed, { hint: sentences.spentHint, autocomplete: 'off' }), { summary: 'Add time' })}${edit(
    'estimate',
    (typed) =>
      field('Estimate', 'estimate', typed, {
        value: humanDuration(time_estimate) ?? '',
        hint: sentences.estimateHint,
        autocomplete: 'off',
      }),
    { summary: 'Estimate' },
  )}`
}

function timeOf({ time_estimate, total_time_spent }: Times): Html {
  const spent = humanDuration(total_time_spent)
  const estimate = humanDuration(time_estimate)
  if (spent === null && estimate === null) return noneYet('Nothing spent, nothing estimated')
  return html`<p>${spent ?? '0h'} spent${estimate !== null && ` of ${estimate}`}</p>`
}
