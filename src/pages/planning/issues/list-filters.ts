/** What a list of issues is narrowed to, as it stands in its address and in the form above it. */
import { type Static, type TObject, Type } from 'typebox'
import { type IssueFilter, type IssueOrder, issueFilterOf } from '../../../features/planning/issues/issues.ts'
import { parseQuery } from '../../../http/parameters.ts'
import type { Place } from '../../../http/places.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { validator } from '../../../http/validate.ts'
import { optionsOf } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { pageNumber } from '../../frame/paging.ts'

const sorts = {
  created_desc: ['Newest', { order_by: 'created_at', sort: 'desc' }],
  created_asc: ['Oldest', { order_by: 'created_at', sort: 'asc' }],
  updated_desc: ['Last changed', { order_by: 'updated_at', sort: 'desc' }],
  updated_asc: ['Least recently changed', { order_by: 'updated_at', sort: 'asc' }],
  due_date: ['Due first', { order_by: 'due_date', sort: 'asc' }],
  priority: ['Priority', { order_by: 'priority', sort: 'asc' }],
  label_priority: ['Priority of labels', { order_by: 'label_priority', sort: 'asc' }],
  milestone_due: ['Milestone due first', { order_by: 'milestone_due', sort: 'asc' }],
  popularity: ['Most votes', { order_by: 'popularity', sort: 'desc' }],
  relative_position: ['Order on boards', { order_by: 'relative_position', sort: 'asc' }],
  title_asc: ['Title', { order_by: 'title', sort: 'asc' }],
} as const satisfies Record<string, readonly [string, { order_by: IssueOrder; sort: 'asc' | 'desc' }]>

type Sort = keyof typeof sorts

const otherSorts = (Object.keys(sorts) as Sort[]).filter((name) => name !== 'created_desc')

const words = Type.String({ default: '', maxLength: 1_000 })
const dues = ['overdue', 'today', 'tomorrow', 'week', 'month', '0'] as const

/** The names that other pages and bookmarks of this kind of service use, too. */
export const listQuery = {
  ...pageNumber,
  state: oneOfDefault('opened', 'closed', 'all'),
  sort: oneOfDefault<Sort>('created_desc', ...otherSorts),
  search: words,
  author_username: words,
  assignee_username: words,
  milestone_title: words,
  label_name: Type.Array(Type.String({ maxLength: 1_000 }), { default: [], maxItems: 50 }),
  without_label: words,
  my_reaction_emoji: words,
  confidential: oneOfDefault('', 'true', 'false'),
  due_date: oneOfDefault('', ...dues),
  /** Of the dashboard, whose first list is of what is assigned to the user. */
  scope: oneOfDefault('', 'created_by_me', 'all'),
}

export type ListQuery = Static<TObject<typeof listQuery>>

const read = validator(listQuery)

/** What the address of a list says; of one that isn't valid, nothing. */
export function readListQuery(address: string): ListQuery {
  try {
    return read(parseQuery(address.split('?')[1] ?? ''))
  } catch {
    return read({})
  }
}

/**
 * Null where nothing can match. Lists of several projects leave out those that are archived. Throws 400 for too many names.
 * @param place null for the dashboard
 */
export function filterOf(sent: ListQuery, place: Place | null): IssueFilter | null {
  const { confidential, due_date, without_label } = sent
  const milestone = sent.milestone_title.trim()
  const reaction = sent.my_reaction_emoji.trim().replaceAll(':', '')
  return issueFilterOf({
    ...sorts[sent.sort][1],
    scope: place === null ? sent.scope || 'assigned_to_me' : 'all',
    non_archived: place?.kind !== 'project',
    state: sent.state,
    labels: sent.label_name,
    assignee_username: [sent.assignee_username],
    search: sent.search,
    author_username: sent.author_username.trim(),
    not: { labels: [without_label] },
    ...(milestone !== '' && { milestone }),
    ...(reaction !== '' && { my_reaction_emoji: reaction }),
    ...(confidential !== '' && { confidential: confidential === 'true' }),
    ...(due_date !== '' && { due_date }),
  })
}

/** What was chosen, as parameters of an address; `changed` in the place of what was. */
export function parametersOf(sent: ListQuery, changed: Partial<Record<keyof ListQuery, string>> = {}): URLSearchParams {
  const { label_name, page: _, ...single } = sent
  const usual: Record<string, string> = { state: 'opened', sort: 'created_desc' }
  const pairs = Object.entries({ ...single, ...changed }).filter(([name, value]) => value !== '' && value !== usual[name])
  const labels = label_name.filter((text) => text.trim() !== '').map((text) => ['label_name[]', text] as [string, string])
  return new URLSearchParams([...(pairs as Array<[string, string]>), ...labels])
}

/** Whether anything but the state and the order was chosen. */
export function isNarrowed(sent: ListQuery): boolean {
  return [...parametersOf(sent, { state: '', sort: '', scope: '' }).keys()].length > 0
}

const confidentialLabels = [
  ['', 'Confidential or not'],
  ['true', 'Confidential'],
  ['false', 'Not confidential'],
] as const

const dueLabels = [
  ['', 'Any due date'],
  ['overdue', 'Overdue'],
  ['today', 'Due today'],
  ['tomorrow', 'Due tomorrow'],
  ['week', 'Due this week'],
  ['month', 'Due this month'],
  ['0', 'No due date'],
] as const

/** Sent by GET, so that the list has an address. `completions` is where names come from for those who are signed in. */
export function filterForm(address: string, sent: ListQuery, completions: string | null): Html {
  const text = (label: string, name: string, value: string, { key, shortcut }: { key?: string; shortcut?: string } = {}) => {
    const input = html`<input id="filter-${name}" name="${name}" value="${value}"${shortcut !== undefined && html` data-key="${shortcut}" aria-label="${label}"`}>`
    const isPicked = key !== undefined && completions !== null
    return html`<div class="field"><label for="filter-${name}">${label}</label>${
      isPicked ? html`<name-picker key="${key}" source="${completions}">${input}</name-picker>` : input
    }</div>`
  }
  const choice = (label: string, name: string, choices: ReadonlyArray<readonly [string, string]>, chosen: string) =>
    html`<div class="field"><label for="filter-${name}">${label}</label><select id="filter-${name}" name="${name}">${optionsOf(choices, chosen)}</select></div>`
  const { search, sort, state, scope } = sent
  const isOpen = isNarrowed({ ...sent, search: '' })
  return html`<form class="filters issue-filters" role="search" action="${address}"><label class="unseen" for="search">Find issues</label>
<input id="search" name="search" type="search" value="${search}" placeholder="Find issues"><select name="sort" aria-label="Order">${optionsOf(
    Object.entries(sorts).map(([value, [label]]) => [value, label]),
    sort,
  )}</select><button>Find</button>${state !== 'opened' && html`<input type="hidden" name="state" value="${state}">`}${scope !== '' && html`<input type="hidden" name="scope" value="${scope}">`}
<details${isOpen && html` open`}><summary>More filters</summary><div class="filter-fields">${text('Author', 'author_username', sent.author_username, { key: '@' })}${text(
    'Assignee',
    'assignee_username',
    sent.assignee_username,
    { key: '@', shortcut: 'a' },
  )}${text('Labels', 'label_name[]', sent.label_name.join(', '), { key: '~', shortcut: 'l' })}${text('Without labels', 'without_label', sent.without_label, { key: '~' })}${text(
    'Milestone',
    'milestone_title',
    sent.milestone_title,
    { key: '%', shortcut: 'm' },
  )}${text('My reaction', 'my_reaction_emoji', sent.my_reaction_emoji)}${choice('Due date', 'due_date', dueLabels, sent.due_date)}${choice(
    'Confidential',
    'confidential',
    confidentialLabels,
    sent.confidential,
  )}</div><p class="hint">Names with commas between them; None or Any.</p></details></form>`
}
