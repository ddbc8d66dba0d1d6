/** A merge request as a row of a list. */

import type { App } from '../../../app.ts'
import { humanDuration } from '../../../features/planning/issuables/issuables.ts'
import { milestonePath } from '../../../features/planning/milestones/milestones.ts'
import { type DescribedMergeRequest, readyTitle } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { labelTag } from '../../project/labels.ts'
import { face } from '../../project/people.ts'
import { draftTag, mergeRequestAddress, mergeRequestsAddress, stateIcon } from './parts.ts'

export interface RowOptions {
  /** Whether it can be selected. */
  isSelectable?: boolean
  /** Whether it shows its project: in lists of more than one. */
  withProject?: boolean
  /** The usual target branch: only others are shown. */
  usualTarget?: string | null
}

const shownFaces = 3

export function mergeRequestRow(app: App, described: DescribedMergeRequest, options: RowOptions = {}): Html {
  const { isSelectable = false, withProject = false, usualTarget = null } = options
  const { merge_request, target, labels } = described
  const { iid, title, draft, target_branch } = merge_request
  return html`
    <li>
      ${isSelectable && html`<input type="checkbox" name="merge_requests[]" value="${iid}" aria-label="Select !${iid}">`}
      ${stateIcon(merge_request)}
      <div class="what">
        ${draft && html`${draftTag()} `}<a href="${mergeRequestAddress(target, iid)}"><bdi>${draft ? readyTitle(title) : title}</bdi></a>
        ${labels.map((label) => labelTag(label, mergeRequestsAddress(target)))}
        <p>
          ${withProject ? `${target.full_path}!${iid}` : `!${iid}`} ·
          ${happened(described)}${target_branch !== usualTarget && html` · into <bdi>${target_branch}</bdi>`}${plans(described)}
        </p>
      </div>
      <div class="facts">${faces(app, described)}${talk(described)}</div>
    </li>
  `
}

function happened({ merge_request, author, merged_by, closed_by }: DescribedMergeRequest): Html {
  const { state, created_at, merged_at, closed_at } = merge_request
  const by = (user: typeof closed_by) => user && html` by <a href="/${user.username}">${isolated(user.name)}</a>`
  if (state === 'merged' && merged_at) return html`merged ${ago(merged_at)}${by(merged_by)}`
  if (state === 'closed' && closed_at) return html`closed ${ago(closed_at)}${by(closed_by)}`
  return html`opened ${ago(created_at)}${by(author)}`
}

function plans({ merge_request, milestone }: DescribedMergeRequest): Html {
  const spent = humanDuration(merge_request.total_time_spent)
  const planned = milestone && html` · <a href="${milestonePath(milestone)}">${isolated(milestone.title)}</a>`
  return html`${planned}${spent !== null && t` · ${spent} spent`}`
}

function faces(app: App, { assignees, reviewers }: DescribedMergeRequest): Html {
  const row = (users: typeof assignees, words: string) =>
    html`
      ${users.slice(0, shownFaces).map((user) => face(app, user, words))}${
        users.length > shownFaces && html`<span>+${users.length - shownFaces}</span>`
      }
    `
  return html`${row(assignees, t`Assigned to`)}${row(
    reviewers.filter(({ id }) => !assignees.some((user) => user.id === id)),
    t`To be reviewed by`,
  )}`
}

function talk({ merge_request, target, hasOpenDiscussions }: DescribedMergeRequest): Html {
  const { state, merge_status, upvotes, downvotes, user_notes_count, updated_at } = merge_request
  const hasConflict = state === 'opened' && merge_status === 'cannot_be_merged'
  const conflict = t`Can’t be merged as it is`
  return html`
    ${hasConflict && html`<span class="conflict" title="${conflict}">${icon('warning')}<span class="unseen">${conflict}</span></span>`}
    ${upvotes > 0 && html`<span title="${count(upvotes, 'vote')} for it">+${upvotes}</span>`}
    ${downvotes > 0 && html`<span title="${count(downvotes, 'vote')} against it">−${downvotes}</span>`}
    ${
      user_notes_count > 0 &&
      html`
        <a
          href="${mergeRequestAddress(target, merge_request.iid)}#notes"
          class="talked"
          ${hasOpenDiscussions && html` title="Some discussions are open"`}
        >${icon('comment')}${user_notes_count}<span class="unseen"> comments</span></a>
      `
    }
    <span title="Last change">${ago(updated_at)}</span>
  `
}
