/** An issue as a row of a list. */

import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import type { App } from '../../../app.ts'
import { humanDuration } from '../../../features/planning/issuables/issuables.ts'
import type { DescribedIssue } from '../../../features/planning/issues/issues.ts'
import { milestonePath } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { labelTag } from '../../project/labels.ts'
import { face } from '../../project/people.ts'
import { dueDay } from './parts.ts'

export interface RowOptions {
  /** Whether it can be selected. */
  isSelectable?: boolean
  /** Whether it shows its project: in lists of more than one. */
  withProject?: boolean
}

export function issueRow(app: App, described: DescribedIssue, { isSelectable = false, withProject = false }: RowOptions = {}): Html {
  const { issue, project_path: full_path, author, assignees, labels, milestone } = described
  const { iid, title, state, confidential, due_date, created_at, updated_at, user_notes_count, upvotes, downvotes } = issue
  const address = issueAddress({ full_path }, iid)
  const spent = humanDuration(issue.total_time_spent)
  return html`
    <li>
      ${isSelectable && html`<input type="checkbox" name="issues[]" value="${iid}" aria-label="Select #${iid}">`}
      <span class="${`issue-icon ${state}`}" title="${state === 'opened' ? t`Open` : t`Closed`}">${icon(
        state === 'opened' ? 'issue' : 'check',
      )}<span class="unseen">${state === 'opened' ? t`Open` : t`Closed`}</span></span>
      <div class="what">
        ${
          confidential && html`<span title="Confidential">${icon('lock')}<span class="unseen">Confidential</span></span> `
        }<a href="${address}"><bdi>${title}</bdi></a>
        ${labels.map((label) => labelTag(label, issuesAddress({ full_path })))}
        <p>
          ${withProject ? `${full_path}#${iid}` : `#${iid}`} · opened ${ago(created_at)} by
          <a href="/${author.username}">${isolated(author.name)}</a>${
            milestone && html` · <a href="${milestonePath(milestone)}">${isolated(milestone.title)}</a>`
          }${due_date !== null && html` · due ${dueDay(due_date, state === 'opened')}`}${spent !== null && t` · ${spent} spent`}
        </p>
      </div>
      <div class="facts">
        ${assignees.slice(0, shownFaces).map((user) => face(app, user, t`Assigned to`))}
        ${assignees.length > shownFaces && html`<span>+${assignees.length - shownFaces}</span>`}
        ${upvotes > 0 && html`<span title="${count(upvotes, 'vote')} for it">+${upvotes}</span>`}
        ${downvotes > 0 && html`<span title="${count(downvotes, 'vote')} against it">−${downvotes}</span>`}
        ${
          user_notes_count > 0 &&
          html`
            <a href="${address}#notes" class="talked">${icon('comment')}${user_notes_count}<span class="unseen">
                comments</span></a>
          `
        }
        <span title="Last change">${ago(updated_at)}</span>
      </div>
    </li>
  `
}

const shownFaces = 3
