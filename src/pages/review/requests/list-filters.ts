/** What a list of merge requests is narrowed to, as it stands in its address and in the form above it. */
import { type Static, type TObject, Type } from 'typebox'
import {
  type MergeRequestFilter,
  type MergeRequestOrder,
  mergeRequestFilterOf,
} from '../../../features/review/merge-requests/merge-requests.ts'
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
  merged_at_desc: ['Last merged', { order_by: 'merged_at', sort: 'desc' }],
  priority: ['Priority', { order_by: 'priority', sort: 'asc' }],
  label_priority: ['Priority of labels', { order_by: 'label_priority', sort: 'asc' }],
  milestone_due: ['Milestone due first', { order_by: 'milestone_due', sort: 'asc' }],
  popularity: ['Most votes', { order_by: 'popularity', sort: 'desc' }],
  title_asc: ['Title', { order_by: 'title', sort: 'asc' }],
} as const satisfies Record<string, readonly [string, { order_by: MergeRequestOrder; sort: 'asc' | 'desc' }]>

type Sort = keyof typeof sorts

const otherSorts = (Object.keys(sorts) as Sort[]).filter((name) => name !== 'created_desc')

const words = Type.String({ default: '', maxLength: 1_000 })
const name = Type.String({ default: '', maxLength: 255 })

/** The names that other pages and bookmarks of this kind of service use, too. */
export const listQuery = {
  ...pageNumber,
  state: oneOfDefault('opened', 'merged', 'closed', 'all'),
  sort: oneOfDefault<Sort>('created_desc', ...otherSorts),
  search: words,
  author_username: name,
  assignee_username: name,
  reviewer_username: name,
  approved_by_username: name,
  milestone_title: name,
  label_name: Type.Array(Type.String({ maxLength: 1_000 }), { default: [], maxItems: 50 }),
  without_label: words,
  my_reaction_emoji: name,
  source_branch: words,
  target_branch: words,
  draft: oneOfDefault('', 'yes', 'no'),
  /** Of the dashboard, whose first list is of what is assigned to the user. */
  scope: oneOfDefault('', 'reviews_for_me', 'created_by_me', 'all'),
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
 * Lists of several projects leave out those that are archived. Throws 400 for too many names.
 * @param place null for the dashboard
 */
export function filterOf(sent: ListQuery, place: Place | null): MergeRequestFilter {
  const { draft } = sent
  const milestone = sent.milestone_title.trim()
  const reaction = sent.my_reaction_emoji.trim().replaceAll(':', '')
  return mergeRequestFilterOf({
    ...sorts[sent.sort][1],
    scope: place === null ? sent.scope || 'assigned_to_me' : 'all',
    non_archived: place?.kind !== 'project',
    state: sent.state,
    labels: sent.label_name,
    assignee_username: [sent.assignee_username],
    reviewer_username: [sent.reviewer_username],
    approved_by_usernames: [sent.approved_by_username],
    search: sent.search,
    author_username: sent.author_username.trim(),
    source_branch: sent.source_branch.trim(),
    target_branch: sent.target_branch.trim(),
    not: { labels: [sent.without_label] },
    ...(milestone !== '' && { milestone }),
    ...(reaction !== '' && { my_reaction_emoji: reaction }),
    ...(draft !== '' && { draft: draft === 'yes' }),
  })
}

/** What was chosen, as parameters of an address; `changed` in the place of what was. */
export function parametersOf(sent: ListQuery, changed: Partial<Record<keyof ListQuery, string>> = {}): URLSearchParams {
  const { label_name, page: _, ...single } = sent
  const usual: Record<string, string> = { state: 'opened', sort: 'created_desc' }
  const pairs = Object.entries({ ...single, ...changed }).filter(([key, value]) => value !== '' && value !== usual[key])
  const labels = label_name.filter((text) => text.trim() !== '').map((text) => ['label_name[]', text] as [string, string])
  return new URLSearchParams([...(pairs as Array<[string, string]>), ...labels])
}

/** Whether anything but the state and the order was chosen. */
export function isNarrowed(sent: ListQuery): boolean {
  return [...parametersOf(sent, { state: '', sort: '', scope: '' }).keys()].length > 0
}

const draftLabels = [
  ['', 'Drafts or not'],
  ['yes', 'Drafts'],
  ['no', 'Ready'],
] as const

/** Sent by GET, so that the list has an address. `completions` is where names come from for those who are signed in. */
export function filterForm(address: string, sent: ListQuery, completions: string | null): Html {
  const text = (label: string, field: string, value: string, { key, shortcut }: { key?: string; shortcut?: string } = {}) => {
    const input = html`<input id="filter-${field}" name="${field}" value="${value}"${shortcut !== undefined && html` data-key="${shortcut}" aria-label="${label}"`}>`
    const isPicked = key !== undefined && completions !== null
    return html`<div class="field"><label for="filter-${field}">${label}</label>${
      isPicked ? html`<name-picker key="${key}" source="${completions}">${input}</name-picker>` : input
    }</div>`
  }
  const { search, sort, state, scope } = sent
  const isOpen = isNarrowed({ ...sent, search: '' })
  return html`<form class="filters issue-filters" role="search" action="${address}"><label class="unseen" for="search">Find merge requests</label>
<input id="search" name="search" type="search" value="${search}" placeholder="Find merge requests"><select name="sort" aria-label="Order">${optionsOf(
    Object.entries(sorts).map(([value, [label]]) => [value, label]),
    sort,
  )}</select><button>Find</button>${state !== 'opened' && html`<input type="hidden" name="state" value="${state}">`}${scope !== '' && html`<input type="hidden" name="scope" value="${scope}">`}
<details${isOpen && html` open`}><summary>More filters</summary><div class="filter-fields">${text('Author', 'author_username', sent.author_username, { key: '@' })}${text(
    'Assignee',
    'assignee_username',
    sent.assignee_username,
    { key: '@', shortcut: 'a' },
  )}${text('Reviewer', 'reviewer_username', sent.reviewer_username, { key: '@', shortcut: 'w' })}${text(
    'Approved by',
    'approved_by_username',
    sent.approved_by_username,
    { key: '@' },
  )}${text('Labels', 'label_name[]', sent.label_name.join(', '), { key: '~', shortcut: 'l' })}${text('Without labels', 'without_label', sent.without_label, { key: '~' })}${text(
    'Milestone',
    'milestone_title',
    sent.milestone_title,
    { key: '%', shortcut: 'm' },
  )}${text('My reaction', 'my_reaction_emoji', sent.my_reaction_emoji)}${text('Source branch', 'source_branch', sent.source_branch)}${text(
    'Target branch',
    'target_branch',
    sent.target_branch,
  )}<div class="field"><label for="filter-draft">Drafts</label><select id="filter-draft" name="draft">${optionsOf(draftLabels, sent.draft)}</select></div></div><p class="hint">Names with commas between them; None or Any.</p></details></form>`
}
