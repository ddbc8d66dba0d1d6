/** An issue as a card of a board, with the form that moves it. */

import { may } from '../../../access/permissions.ts'
import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import type { DescribedIssue } from '../../../features/planning/issues/issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type Choice, hidden, optionsOf } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { labelTag } from '../../project/labels.ts'
import { face } from '../../project/people.ts'
import { dueDay } from '../issues/parts.ts'
import type { Seen } from './seen.ts'

interface Place {
  /** URL of the board. */
  address: string
  column: string
  choices: readonly Choice[]
  /** The cards above and below it. */
  before: number | undefined
  after: number | undefined
}

export function cardOf({ app, place, user, token }: Seen, described: DescribedIssue, at: Place): Html {
  const { issue, project_path: full_path, labels, assignees } = described
  const { id, iid, title, confidential, due_date, state, author_id } = issue
  const isOwn = user !== null && (author_id === user.id || assignees.some((one) => one.id === user.id))
  const isMovable = user !== null && !place.row.archived && (may('manage_issues', place.level) || isOwn)
  return html`
    <li class="card" id="card-${id}" data-issue="${id}"${isMovable && html` draggable="true"`}>
      ${isMovable && moveForm(title, id, token, at)}
      <p class="card-title">
        ${
          confidential && html`<span title="Confidential">${icon('lock')}<span class="unseen">Confidential</span></span> `
        }<a href="${issueAddress({ full_path }, iid)}"><bdi>${title}</bdi></a>
        <span class="hint">${place.kind === 'group' && full_path}#${iid}</span>
      </p>
      <p class="facts">
        ${labels.map((label) => labelTag(label, issuesAddress({ full_path })))}${
          due_date !== null && dueDay(due_date, state === 'opened')
        }${assignees.length > 0 && html`<span class="end">${assignees.slice(0, 3).map((one) => face(app, one, t`Assigned to`))}</span>`}
      </p>
    </li>
  `
}

/** Does without scripts what dragging does with them: the buttons send the neighbors of the new position. */
function moveForm(title: string, id: number, token: Html, { address, column, choices, before, after }: Place): Html {
  const up = before !== undefined && html`<button name="before_id" value="${before}">Up</button>`
  const down = after !== undefined && html`<button name="after_id" value="${after}">Down</button>`
  return html`
    <details class="menu move">
      <summary>${icon('more')}<span class="unseen">Move to… ${title}</span></summary>
      <div class="popup">
        <form method="post" action="${address}/issues">
          ${token}${hidden({ issue_id: String(id), from: column })}
          <label for="to-${id}">Move to…</label>
          <div class="actions">
            <select id="to-${id}" name="to">${optionsOf(choices, column)}</select><button>Move</button>${up}${down}
          </div>
        </form>
      </div>
    </details>
  `
}
