/** Small parts of issue pages: states and due dates. */

import { today } from '../../../db/instants.ts'
import type { Issue } from '../../../db/tables.ts'
import { type Html, html } from '../../../html/html.ts'
import { dayWords } from '../../../html/numbers-and-dates.ts'
import { t } from '../../../html/sentences.ts'
import { icon } from '../../frame/parts.ts'

export function stateTag({ state }: Pick<Issue, 'state'>): Html {
  return html`
    <span class="tag state ${state}">${icon(state === 'opened' ? 'issue' : 'check')}
      ${state === 'opened' ? t`Open` : t`Closed`}</span>
  `
}

/** A date; marked if it has passed. */
export function dueDay(day: string, isOpen: boolean): Html {
  const isLate = isOpen && day < today()
  return html`<time datetime="${day}"${isLate && html` class="late"`}>${dayWords(new Date(day))}${isLate && t` (overdue)`}</time>`
}
