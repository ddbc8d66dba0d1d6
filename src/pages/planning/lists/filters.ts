/** Filters of lists of issues and of merge requests, as they stand in URLs. */

import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { t } from '../../../html/sentences.ts'
import type { Place } from '../../../http/declare/places.ts'
import { parseQuery } from '../../../http/parameters/parameters.ts'
import { validator } from '../../../http/parameters/validate.ts'
import type { Choice } from '../../frame/forms.ts'
import { pageNumber } from '../../frame/paging.ts'

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

/** A filter of a list: a menu in its head or, for a rare one, a field of the menu of all others. */
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
  /** The label of the choice "without": `Nobody`. */
  none?: string
  /** Whether it stands in the menu for what is seldom asked for. */
  isRare?: boolean
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
  { label: t`Author`, name: 'author_username', value: sent.author_username, key: '@', shortcut: 'u' },
  { label: t`Assignee`, name: 'assignee_username', value: sent.assignee_username, key: '@', shortcut: 'a', none: t`Nobody` },
]

export const planFields = (sent: Sent): FilterField[] => [
  { label: t`Labels`, name: 'label_name[]', value: sent.label_name.join(', '), key: '~', shortcut: 'l', none: t`No label` },
  { label: t`Milestone`, name: 'milestone_title', value: sent.milestone_title, key: '%', shortcut: 'm', none: t`No milestone` },
  { label: t`Without labels`, name: 'without_label', value: sent.without_label, key: '~', isRare: true },
  { label: t`My reaction`, name: 'my_reaction_emoji', value: sent.my_reaction_emoji, isRare: true },
]
