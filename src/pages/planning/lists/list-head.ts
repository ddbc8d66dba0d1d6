/**
 * The head of a list: a field that finds words, the states with their numbers, and a menu for each filter. One form, sent by GET, so that a
 * narrowed list has a URL; each menu works without script, by its links and its field.
 */

import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type Choice, optionsOf } from '../../frame/forms.ts'
import { type FilterField, parametersOf, type Sent, type Sorts, withQuery } from './filters.ts'
import { sentences } from './sentences.ts'

interface Head {
  address: string
  /** The plural noun of its rows: `issues`. */
  find: string
  sorts: Sorts
  fields: readonly FilterField[]
  /** The URL of completions for signed-in users. */
  completions: string | null
  /** The viewer's own username. */
  own: string | null
  /** The tabs of states, at the left. */
  states: Html
  /** The applied filters. */
  chips: Html | false
}

export function listHead(sent: Sent, head: Head): Html {
  const { address, find, sorts, fields, states, chips } = head
  const { search, sort, state, scope } = sent
  const orders = Object.entries(sorts).map(([value, [label]]): Choice => [value, label])
  const [usual] = orders
  const kept = Object.entries({ state: state === 'opened' ? '' : state, scope, sort: sort === usual?.[0] ? '' : sort })
  // Lists to choose from come first: a field opens its suggestions when it gets the focus.
  const rare = fields.filter(({ isRare = false }) => isRare).sort((one, other) => Number(!one.choices) - Number(!other.choices))
  return html`
    <form class="list-filters" role="search" action="${address}">
      <div class="filters">
        <label class="unseen" for="search">${find}</label>
        <input id="search" name="search" type="search" value="${search}" placeholder="${find}"><button>Find</button>
      </div>
      ${kept.map(([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`)}
      ${chips}
      <div class="list-head">
        ${states}
        <div class="filter-menus">
          ${fields.filter(({ isRare = false }) => !isRare).map((one) => menuOf(one, sent, head))}
          <details class="menu filter-menu">
            <summary>More</summary>
            <div class="popup">
              ${rare.map((one) => fieldOf(one, head))}
              <p class="hint">${sentences.filterHint}</p>
              <button class="primary">Apply</button>
            </div>
          </details>
          ${linksMenu(t`Sort`, orders, sort, (value) => withQuery(address, parametersOf(sent, { sort: value })))}
        </div>
      </div>
    </form>
  `
}

/** The field, and links to what is asked for most. */
function menuOf(field: FilterField, sent: Sent, head: Head): Html {
  const { label, name, value, key, shortcut, none } = field
  const { address, own } = head
  const narrowed = (to: string) =>
    withQuery(address, name === 'label_name[]' ? parametersOf({ ...sent, label_name: [to] }) : parametersOf(sent, { [name]: to }))
  const links: Choice[] = [
    ...(key === '@' && own !== null ? [[own, t`You`] as const] : []),
    ...(none === undefined ? [] : [['None', none] as const]),
  ]
  return html`
    <details class="menu filter-menu">
      <summary${shortcut !== undefined && html` data-key="${shortcut}"`}>${label}</summary>
      <div class="popup">
        ${fieldOf(field, head, true)}
        <button class="apply">Apply</button>
        ${links.length > 0 && html`<ul>${links.map(([to, words]) => linkTo(narrowed(to), words, to === value))}</ul>`}
      </div>
    </details>
  `
}

function linksMenu(label: string, choices: readonly Choice[], current: string, addressOf: (value: string) => string): Html {
  return html`
    <details class="menu filter-menu">
      <summary>${label}</summary>
      <ul>${choices.map(([value, words]) => linkTo(addressOf(value), words, value === current))}</ul>
    </details>
  `
}

function linkTo(href: string, words: string, isCurrent: boolean): Html {
  return html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${words}</a></li>`
}

/** A field of a menu of its own is sent as soon as a name is chosen. */
function fieldOf({ label, name, value, key, choices }: FilterField, { completions }: Pick<Head, 'completions'>, submits = false): Html {
  const id = `filter-${name}`
  const input = choices
    ? html`<select id="${id}" name="${name}">${optionsOf(choices, value)}</select>`
    : html`<input id="${id}" name="${name}" value="${value}">`
  const isPicked = key !== undefined && completions !== null
  const ways = html`${key !== '~' && html` single`}${submits && html` submits`}`
  const picker = isPicked ? html`<name-picker key="${key}" source="${completions}"${ways}>${input}</name-picker>` : input
  return html`<div class="field"><label for="${id}">${label}</label>${picker}</div>`
}
