/** The sidebar of a merge request: assignee, reviewers and classification, with a form for each for users who may change it. */

import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import type { Approval } from '../../../features/review/approvals/approvals.ts'
import type { DescribedMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { copyable, icon } from '../../frame/parts.ts'
import {
  assigneeSection,
  type BesideAll,
  labelsSection,
  listOfPeople,
  lockLine,
  milestoneSection,
  ownButtons,
  participantsSection,
  timeSection,
} from '../../planning/discussion/details.ts'
import { type Editor, editorOf, section } from '../../planning/discussion/side.ts'
import { namesField } from '../../planning/lists/names.ts'
import { person } from '../../project/people.ts'
import { mergeRequestAddress, mergeRequestsAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'
import { type Before, beforeSection } from './stack.ts'

export interface Beside extends BesideAll {
  described: DescribedMergeRequest
  approvals: readonly Approval[]
  before: Before
  /** Code owners of what it changes, for users who may choose reviewers. */
  suggested: readonly UserInBrief[]
}

const names = ['merge_request', 'assignee', 'reviewers', 'labels', 'milestone_id', 'estimate', 'spent'] as const

export function sidebar(seen: MergeRequestSeen, beside: Beside): Html {
  const { app, project, merge_request, token } = seen
  const { described, milestones, refused } = beside
  const address = mergeRequestAddress(project, merge_request.iid)
  const isAllowed = seen.user !== null && canManageMergeRequests(seen) && !project.archived
  const edit = editorOf({ isAllowed, action: `${address}/details`, token, refused, names })
  const lock = lockLine(merge_request.discussion_locked === true, { action: `${address}/lock`, token })
  return html`
    <aside class="issue-side" aria-label="Details">
      ${ownButtons(address, token, beside.own)}${people(seen, beside, edit)}
      ${labelsSection(project, described.labels, mergeRequestsAddress(project), edit)}
      ${milestoneSection(described.milestone, milestones, edit)}${timeSection(merge_request, edit)}
      ${beforeSection(seen, beside.before, edit)}
      ${isAllowed && section(t`Access`, html`<ul class="plain switches">${lock}</ul>`)}
      ${participantsSection(app, beside.participants)}
      ${section(t`Reference`, copyable(t`Reference of this merge request`, `${project.full_path}!${merge_request.iid}`))}
      ${section(t`Source branch`, copyable(t`Name of the source branch`, merge_request.source_branch))}
    </aside>
  `
}

function people(seen: MergeRequestSeen, beside: Beside, edit: Editor): Html {
  const { app, project } = seen
  const { described, approvals } = beside
  const { assignees, reviewers } = described
  const marked = (users: readonly UserInBrief[]) => listOfPeople(app, users, (user) => mark(user, approvals))
  const value = reviewers.map(({ username }) => username).join(', ')
  const form = (typed: Typed) => namesField(t`Usernames`, 'reviewers', typed, '@', project, { value, hint: sentences.peopleHint })
  return html`
    ${assigneeSection(project, marked(assignees), assignees, edit)}
    ${section(
      t`Reviewers`,
      html`${marked(reviewers)}${suggestions(seen, beside)}`,
      edit('reviewers', form, { key: 'w', label: 'reviewers' }),
    )}
  `
}

/** Each with a button that asks them, too. */
function suggestions({ app, project, merge_request, token }: MergeRequestSeen, { described, suggested }: Beside): Html | null {
  if (suggested.length === 0) return null
  const action = `${mergeRequestAddress(project, merge_request.iid)}/details`
  const asked = described.reviewers.map(({ username }) => username)
  const row = (user: UserInBrief) => {
    const label = html`Ask<span class="unseen"> <bdi>${user.name}</bdi></span>`
    const fields = { reviewers: [...asked, user.username].join(', ') }
    return html`<li>${person(app, user)} ${postButton(label, { action, token, fields })}</li>`
  }
  return html`<p class="hint">${sentences.owners}</p><ul class="plain">${suggested.map(row)}</ul>`
}

function mark({ id }: UserInBrief, approvals: readonly Approval[]): Html | false {
  return (
    approvals.some(({ user }) => user.id === id) &&
    html` <span class="approved" title="Has approved">${icon('check')}<span class="unseen">has approved</span></span>`
  )
}
