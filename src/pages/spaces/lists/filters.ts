/** Filters and sorting of lists, in URLs and in the forms above the lists. */

import { Type } from 'typebox'
import { visibilities } from '../../../access/levels.ts'
import type { Visibility } from '../../../db/tables.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { optionsOf } from '../../frame/forms.ts'

const projectOrders = () =>
  ({
    latest_activity_desc: [t`Last activity`, { order_by: 'last_activity_at', sort: 'desc' }],
    created_desc: [t`Newest`, { order_by: 'created_at', sort: 'desc' }],
    created_asc: [t`Oldest`, { order_by: 'created_at', sort: 'asc' }],
    name_asc: [t`Name`, { order_by: 'name', sort: 'asc' }],
    name_desc: [t`Name, descending`, { order_by: 'name', sort: 'desc' }],
    stars_desc: [t`Stars`, { order_by: 'star_count', sort: 'desc' }],
  }) as const

const groupOrders = () =>
  ({
    name_asc: [t`Name`, { order_by: 'name', sort: 'asc' }],
    name_desc: [t`Name, descending`, { order_by: 'name', sort: 'desc' }],
    created_desc: [t`Newest`, { order_by: 'id', sort: 'desc' }],
    created_asc: [t`Oldest`, { order_by: 'id', sort: 'asc' }],
  }) as const

export type ProjectSort = keyof ReturnType<typeof projectOrders>
export type GroupSort = keyof ReturnType<typeof groupOrders>

export const projectOrder = (sort: ProjectSort) => projectOrders()[sort][1]
export const groupOrder = (sort: GroupSort) => groupOrders()[sort][1]

/** The order of subgroups in a list with projects in this order: groups have no activity and no stars. */
export function groupOrderBeside(sort: ProjectSort) {
  return groupOrder(sort in groupOrders() ? (sort as GroupSort) : 'name_asc')
}

/** The parameter `sort` of a list of projects, with its default first. */
export function projectSort(usual: ProjectSort) {
  const others = (Object.keys(projectOrders()) as ProjectSort[]).filter((name) => name !== usual)
  return oneOfDefault<ProjectSort>(usual, ...others)
}

export const groupSort = oneOfDefault<GroupSort>('name_asc', 'name_desc', 'created_desc', 'created_asc')

/** Longer searches would make statements too large. */
export const searchText = Type.String({ default: '', maxLength: 1_000 })

/** An empty value means no filter. */
export const anyVisibility = oneOfDefault<Visibility | ''>('', ...visibilities)

export function visibilityFilter(visibility: Visibility | ''): { visibility?: Visibility } {
  return visibility === '' ? {} : { visibility }
}

/** The URL with the parameters that aren't empty; `usual` has the default values, which are left out. */
export function addressWith(
  path: string,
  parameters: Readonly<Record<string, string>>,
  usual: Readonly<Record<string, string>> = {},
): string {
  const sent = Object.entries(parameters).filter(([name, value]) => value !== '' && value !== usual[name])
  return sent.length === 0 ? path : `${path}?${new URLSearchParams(sent)}`
}

/** The labels of the orders of a list, for its form. */
export const orderLabels = (kind: 'projects' | 'groups'): Array<readonly [string, string]> =>
  Object.entries(kind === 'projects' ? projectOrders() : groupOrders()).map(([value, [label]]) => [value, label])

export const visibilityLabels = (): Array<readonly [string, string]> => [
  ['', t`Any visibility`],
  ['public', t`Public`],
  ['internal', t`Internal`],
  ['private', t`Private`],
]

/** A select in the form above a list; only screen readers get its label. */
export function filterSelect(label: string, name: string, choices: ReadonlyArray<readonly [string, string]>, chosen: string): Html {
  return html`<select name="${name}" aria-label="${label}">${optionsOf(choices, chosen)}</select>`
}

export function filterBox(label: string, name: string, isOn: boolean): Html {
  return html`
    <label class="check"><input type="checkbox" name="${name}" value="true" aria-label="${label}"${isOn && html` checked`}>
      ${label}</label>
  `
}

/** Further filters, which open on demand, so that the list starts near the top of the page. */
export function moreFilters(isOpen: boolean, ...filters: Array<Html | null | false>): Html {
  return html`<details${isOpen && html` open`}><summary>More filters</summary><div>${filters}</div></details>`
}

/** The form above a list. It is sent by GET, so that the filtered list has a URL. */
export function filterForm(
  action: string,
  { label, name = 'search', value }: { label: string; name?: string; value: string },
  ...others: Array<Html | null | false>
): Html {
  return html`
    <form class="filters" role="search" action="${action}">
      <label class="unseen" for="search">${label}</label>
      <input id="search" name="${name}" type="search" value="${value}" placeholder="${label}">${others[0] ?? null}<button>
        Find
      </button>${others.slice(1)}
    </form>
  `
}
