/** Filters of lists of issues and of merge requests, in their URLs and in the form above them. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { type Html, html } from '../../../html/html.ts'
import type { Place } from '../../../http/declare/places.ts'
import { parseQuery } from '../../../http/parameters/parameters.ts'
import { validator } from '../../../http/parameters/validate.ts'
import { type Choice, optionsOf } from '../../frame/forms.ts'
import { pageNumber } from '../../frame/paging.ts'
import { sentences } from './sentences.ts'

export const words = Type.String({ default: '', maxLength: 1_000 })

/** Parameter names that other pages and bookmarks of this kind of service use, too. */
export const commonQuery = {
  ...pageNumber,
  search: words,
  author_username: words,
  assignee_username: words,
  milestone_title: words,
  label_name: Type.Array(Type.String({ maxLength: 1_000 }), { default: [], maxItems: 50 }),
  without_label: words,
  my_reaction_emoji: words,
}

/** The parameters that all lists have. Each kind of list adds its own. */
export type Sent = Static<TObject<typeof commonQuery>> & { state: string; sort: string; scope: string }

/** The sort orders of a list, by their names in URLs: the first is the default. */
export type Sorts = Readonly<Record<string, readonly [label: string, order: object]>>

/** A field of the form above a list. */
export interface FilterField {
  label: string
  name: string
  value: string
  /** The sign of the completions for the field. */
  key?: '@' | '~' | '%'
  /** A keyboard shortcut that leads there. */
  shortcut?: string
  /** Options to choose one from, instead of a text field. */
  choices?: readonly Choice[]
}

/** Parses the URL of a list; an invalid one gives no filters. */
export function readerOf<P extends TProperties>(query: P): (address: string) => Static<TObject<P>> {
  const read = validator(query)
  return (address) => {
    try {
      return read(parseQuery(address.split('?')[1] ?? ''))
    } catch {
      return read({})
    }
  }
}

/** The filter of the service for the common parameters. Lists of several projects leave out archived ones. */
export function commonFilterOf<S extends Sent>(sent: S, place: Place | null) {
  const milestone = sent.milestone_title.trim()
  const reaction = sent.my_reaction_emoji.trim().replaceAll(':', '')
  const own = (sent.scope || 'assigned_to_me') as Exclude<S['scope'], ''> | 'assigned_to_me'
  return {
    scope: place === null ? own : ('all' as const),
    non_archived: place?.kind !== 'project',
    state: sent.state as S['state'],
    labels: sent.label_name,
    assignee_username: [sent.assignee_username],
    search: sent.search,
    author_username: sent.author_username.trim(),
    not: { labels: [sent.without_label] },
    ...(milestone !== '' && { milestone }),
    ...(reaction !== '' && { my_reaction_emoji: reaction }),
  }
}

/** The current parameters of the URL, with `changed` applied. */
export function parametersOf(sent: Sent, changed: Readonly<Record<string, string>> = {}): URLSearchParams {
  const { label_name, page: _, ...single } = sent
  const usual: Record<string, string> = { state: 'opened', sort: 'created_desc' }
  const pairs = Object.entries({ ...single, ...changed }).filter(([name, value]) => value !== '' && value !== usual[name])
  const labels = label_name.filter((text) => text.trim() !== '').map((text) => ['label_name[]', text] as [string, string])
  return new URLSearchParams([...(pairs as Array<[string, string]>), ...labels])
}

export function withQuery(address: string, query: URLSearchParams): string {
  return query.size > 0 ? `${address}?${query}` : address
}

/** Whether anything but the state and the order was chosen. */
export function isNarrowed(sent: Sent): boolean {
  return [...parametersOf(sent, { state: '', sort: '', scope: '' }).keys()].length > 0
}

/** The fields that all lists have: those of people first, so that a list can insert fields after them. */
export const peopleFields = (sent: Sent): FilterField[] => [
  { label: 'Author', name: 'author_username', value: sent.author_username, key: '@' },
  { label: 'Assignee', name: 'assignee_username', value: sent.assignee_username, key: '@', shortcut: 'a' },
]

export const planFields = (sent: Sent): FilterField[] => [
  { label: 'Labels', name: 'label_name[]', value: sent.label_name.join(', '), key: '~', shortcut: 'l' },
  { label: 'Without labels', name: 'without_label', value: sent.without_label, key: '~' },
  { label: 'Milestone', name: 'milestone_title', value: sent.milestone_title, key: '%', shortcut: 'm' },
  { label: 'My reaction', name: 'my_reaction_emoji', value: sent.my_reaction_emoji },
]

interface Above {
  address: string
  /** What the list contains: `issues`. */
  noun: string
  sorts: Sorts
  fields: readonly FilterField[]
  /** The URL of completions for signed-in users. */
  completions: string | null
}

/** Sent by GET, so that a filtered list has a URL. */
export function filterForm(sent: Sent, { address, noun, sorts, fields, completions }: Above): Html {
  const { search, sort, state, scope } = sent
  const orders = Object.entries(sorts).map(([value, [label]]): Choice => [value, label])
  const isOpen = isNarrowed({ ...sent, search: '' })
  return html`
    <form class="filters issue-filters" role="search" action="${address}">
      <label class="unseen" for="search">Find ${noun}</label>
      <input id="search" name="search" type="search" value="${search}" placeholder="Find ${noun}">
      <select name="sort" aria-label="Order">${optionsOf(orders, sort)}</select><button>Find</button>
      ${state !== 'opened' && html`<input type="hidden" name="state" value="${state}">`}
      ${scope !== '' && html`<input type="hidden" name="scope" value="${scope}">`}
      <details${isOpen && html` open`}>
        <summary>More filters</summary>
        <div class="filter-fields">${fields.map((one) => fieldOf(one, completions))}</div>
        <p class="hint">${sentences.filterHint}</p>
      </details>
    </form>
  `
}

function fieldOf({ label, name, value, key, shortcut, choices }: FilterField, completions: string | null): Html {
  const id = `filter-${name}`
  const input = choices
    ? html`<select id="${id}" name="${name}">${optionsOf(choices, value)}</select>`
    : html`
      <input
        id="${id}"
        name="${name}"
        value="${value}"
        ${shortcut !== undefined && html` data-key="${shortcut}" aria-label="${label}"`}
      >
    `
  const isPicked = key !== undefined && completions !== null
  return html`<div class="field"><label for="${id}">${label}</label>${
    isPicked ? html`<name-picker key="${key}" source="${completions}">${input}</name-picker>` : input
  }</div>`
}
