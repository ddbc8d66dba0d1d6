/** The filters that are applied to a list, each with a link that removes it. */

import { type Html, html } from '../../../html/html.ts'
import { number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { type FilterField, parametersOf, type Sent, withQuery } from './filters.ts'

interface Narrowed {
  address: string
  /** How many were found. */
  total: number
}

export function chipsOf(fields: readonly FilterField[], sent: Sent, { address, total }: Narrowed): Html {
  const labels = sent.label_name.filter((text) => text.trim() !== '')
  const without = (changed: Partial<Sent>) => withQuery(address, parametersOf({ ...sent, ...changed }))
  const chips = fields.flatMap(({ label, name, value, choices }) => {
    if (name === 'label_name[]')
      return labels.map((one, at) => chip(t`Label`, one, without({ label_name: labels.filter((_, index) => index !== at) })))
    if (value.trim() === '') return []
    const words = choices?.find(([choice]) => choice === value)?.[1] ?? value
    return [chip(label, words, without({ [name]: '' }))]
  })
  const search = sent.search.trim() !== '' && chip(t`Text`, sent.search, without({ search: '' }))
  return html`
    <div class="chips">
      <span class="hint">${number(total)} found</span>
      ${search}${chips}
      <a href="${withQuery(address, parametersOf(nothing(sent)))}">Clear filters</a>
    </div>
  `
}

/** The state and the order stay. */
function nothing({ state, sort, scope }: Sent): Sent {
  return {
    state,
    sort,
    scope,
    page: 1,
    search: '',
    author_username: '',
    assignee_username: '',
    milestone_title: '',
    label_name: [],
    without_label: '',
    my_reaction_emoji: '',
  }
}

function chip(label: string, value: string, href: string): Html {
  return html`
    <span class="chip">${label}: ${isolated(value)}
      <a href="${href}" aria-label="Remove the filter ${label}: ${value}">${icon('cross')}</a></span>
  `
}
