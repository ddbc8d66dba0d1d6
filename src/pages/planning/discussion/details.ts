/** The sidebar of issues and merge requests: the viewer's subscription and to-do item, labels, milestone, time and participants. */

import type { App } from '../../../app.ts'
import type { Label } from '../../../db/tables.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { humanDuration } from '../../../features/planning/issuables/issuables.ts'
import { milestonePath, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, postButton, select } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { labelTag } from '../../project/labels.ts'
import { face, person } from '../../project/people.ts'
import { milestoneChoices, namesField } from '../lists/names.ts'
import { sentences } from './sentences.ts'
import { type Editor, noneYet, section } from './side.ts'

/** Data that is read besides the issue or merge request itself. */
export interface BesideAll {
  /** Choices; empty for users who can't choose. */
  milestones: readonly PlacedMilestone[]
  participants: readonly UserInBrief[]
  /** Null for visitors. */
  own: { isSubscribed: boolean; hasTodo: boolean } | null
  /** A rejected form of the sidebar. */
  refused: Typed | null
}

interface Project {
  full_path: string
}

/** `address` is the URL of the page. */
export function ownButtons(address: string, token: Html, own: BesideAll['own']): Html | null {
  if (own === null) return null
  return html`<section class="own"><h2 class="unseen">For you</h2>${postButton(own.hasTodo ? t`Mark as done` : t`Add a to-do`, {
    action: `${address}/todo`,
    token,
    fields: { pending: own.hasTodo ? 'false' : 'true' },
  })} ${postButton(own.isSubscribed ? t`Unsubscribe` : t`Subscribe`, {
    action: `${address}/subscription`,
    token,
    fields: { subscribed: own.isSubscribed ? 'false' : 'true' },
  })}</section>`
}

/** `mark` adds something to a name. */
export function listOfPeople(app: App, users: readonly UserInBrief[], mark: (user: UserInBrief) => Html | false = () => false): Html {
  if (users.length === 0) return noneYet(t`Nobody`)
  return html`<ul class="plain">${users.map((user) => html`<li>${person(app, user)}${mark(user)}</li>`)}</ul>`
}

export function assigneeSection(project: Project, people: Html, assignees: readonly UserInBrief[], edit: Editor): Html {
  const value = assignees[0]?.username ?? ''
  const form = (typed: Typed) => namesField(t`Username`, 'assignee', typed, '@', project, { value, isSingle: true })
  return section(t`Assignee`, people, edit('assignee', form, { key: 'a', label: t`assignee` }))
}

/** `list` is the URL of the list that a label links to, filtered by that label. */
export function labelsSection(project: Project, labels: readonly Label[], list: string, edit: Editor): Html {
  const value = labels.map(({ title }) => title).join(', ')
  const form = (typed: Typed) => namesField(t`Names`, 'labels', typed, '~', project, { value, hint: sentences.labelsHint })
  const shown = labels.length === 0 ? noneYet(t`None`) : html`<p class="labels">${labels.map((label) => labelTag(label, list))}</p>`
  return section(t`Labels`, shown, edit('labels', form, { key: 'l', label: t`labels` }))
}

export function milestoneSection(current: PlacedMilestone | null, milestones: readonly PlacedMilestone[], edit: Editor): Html {
  const shown = current ? html`<p><a href="${milestonePath(current)}">${isolated(current.title)}</a></p>` : noneYet(t`None`)
  const form = (typed: Typed) =>
    select(t`Milestone`, 'milestone_id', typed, milestoneChoices(milestones, current), { value: String(current?.id ?? 0) })
  return section(t`Milestone`, shown, edit('milestone_id', form, { key: 'm', label: t`milestone` }))
}

interface Times {
  time_estimate: number
  total_time_spent: number
}

export function timeSection(times: Times, edit: Editor): Html {
  const value = humanDuration(times.time_estimate) ?? ''
  const spent = (typed: Typed) => field(t`Time spent`, 'spent', typed, { hint: sentences.spentHint, autocomplete: 'off' })
  const estimate = (typed: Typed) => field(t`Estimate`, 'estimate', typed, { value, hint: sentences.estimateHint, autocomplete: 'off' })
  return section(
    t`Time`,
    timeOf(times),
    html`${edit('spent', spent, { summary: t`Add time` })}${edit('estimate', estimate, { summary: t`Estimate` })}`,
  )
}

function timeOf({ time_estimate, total_time_spent }: Times): Html {
  const spent = humanDuration(total_time_spent)
  const estimate = humanDuration(time_estimate)
  if (spent === null && estimate === null) return noneYet(t`Nothing spent, nothing estimated`)
  const bar =
    estimate !== null &&
    html`
      <meter
        aria-label="Time spent of the estimate"
        value="${total_time_spent}"
        max="${Math.max(time_estimate, total_time_spent)}"
        high="${time_estimate}"
      ></meter>
    `
  return html`<p>${spent ?? '0h'} spent${estimate !== null && t` of ${estimate}`}</p>${bar}`
}

const maxFaces = 40

export function participantsSection(app: App, participants: readonly UserInBrief[]): Html {
  return section(count(participants.length, 'participant'), facesOf(app, participants))
}

export function facesOf(app: App, participants: readonly UserInBrief[]): Html {
  return html`<p class="faces">${participants.slice(0, maxFaces).map((user) => face(app, user, ''))}</p>`
}

/** A state, and a button that changes it. */
export function switchLine(
  fact: string,
  button: string,
  to: { action: string; token: Html; fields: Readonly<Record<string, string>> },
): Html {
  return html`<li><span>${fact}</span> ${postButton(button, to)}</li>`
}

/** Whether the discussion is locked. */
export function lockLine(isLocked: boolean, to: { action: string; token: Html }): Html {
  const fields = { discussion_locked: String(!isLocked) }
  return switchLine(isLocked ? t`Discussion locked` : t`Discussion open`, isLocked ? t`Unlock` : t`Lock`, { ...to, fields })
}
