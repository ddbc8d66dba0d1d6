/** The links to other pages of a list. */

import { Type } from 'typebox'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'

/** The parameter of lists. */
export const pageNumber = { page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) }

/** Null if everything fits on one page. */
export function pagesBelow(address: string, { page, per_page, total }: { page: number; per_page: number; total: number }): Html | null {
  const last = Math.max(1, Math.ceil(total / per_page))
  if (last === 1 && page === 1) return null
  const joint = address.includes('?') ? '&' : '?'
  const link = (number: number, text: string, rel: string) =>
    html`<a rel="${rel}" href="${address}${number === 1 ? '' : `${joint}page=${number}`}">${text}</a>`
  return html`
    <nav class="pages" aria-label="Pages">
      ${page > 1 && link(Math.min(page - 1, last), t`Previous`, 'prev')}
      <span>Page ${page} of ${last}</span>${page < last && link(page + 1, t`Next`, 'next')}
    </nav>
  `
}
