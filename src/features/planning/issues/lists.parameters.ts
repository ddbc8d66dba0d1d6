/** The parameters of lists of issues (spec 4.2), with those of later versions, and the filter they make. */
import { type Static, type TObject, Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { Id, Instant, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { dueWords, type IssueFilter, type IssueTraits, issueOrders, type MilestoneWord, type OrAny } from './filter.ts'

/** Each is a condition of its own, and engines allow some hundreds. */
const maxTitles = 50
export const maxSearch_chars = 1_000

export const noneOrAny = '[Nn]one|[Aa]ny'
export const word = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }))
export const idOrWord = (description: string, words = noneOrAny) =>
  Type.Optional(
    Type.String({
      pattern: `^(\\d{1,15}|${words}|)$`,
      description: `${description}; or ${words.replaceAll(/\[(.).\]/g, '$1').replaceAll('|', ' or ')}`,
    }),
  )

/** What lists of issues and merge requests are narrowed by, and under `not` the other way round. */
export const planTraits = {
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 20_000 }), {
      maxItems: maxTitles,
      description: 'Names, with commas between them: all of them. None, Any or No Label',
    }),
  ),
  milestone: word('Title of the milestone; None, Any, No Milestone, Upcoming or Started'),
  milestone_id: idOrWord('Id of the milestone', `${noneOrAny}|[Uu]pcoming|[Ss]tarted`),
  author_id: idOrWord('Id of the author'),
  author_username: word('Username of the author'),
  assignee_id: idOrWord('Id of an assignee'),
  assignee_username: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: maxTitles, description: 'Usernames: assigned to all of them' }),
  ),
  my_reaction_emoji: word('Name of an emoji that the caller has awarded; None or Any'),
  iids: Type.Optional(Type.Array(Id, { maxItems: 1_000 })),
}

export const scopes = ['created_by_me', 'assigned_to_me', 'all'] as const
export const oldScopes = ['created-by-me', 'assigned-to-me'] as const

/** The filters that lists and statistics have in common. */
export const issueFilters = {
  ...planTraits,
  scope: Type.Optional(oneOf(...scopes, ...oldScopes)),
  not: Type.Optional(Type.Object(planTraits, { description: 'What issues must not have' })),
  search: Type.Optional(Type.String({ maxLength: maxSearch_chars, description: 'Words of the title or the description' })),
  in: Type.Optional(
    Type.String({
      pattern: '^(title|description)?(,(title|description))*$',
      description: 'Where the words are looked for: title, description, or both with a comma',
    }),
  ),
  confidential: Type.Optional(Type.Boolean()),
  due_date: Type.Optional(oneOf(...dueWords, '')),
  issue_type: Type.Optional(oneOf('issue', 'incident', 'test_case', 'task', 'requirement')),
  created_after: Type.Optional(Instant),
  created_before: Type.Optional(Instant),
  updated_after: Type.Optional(Instant),
  updated_before: Type.Optional(Instant),
  non_archived: Type.Boolean({ default: false, description: 'Leave out archived projects' }),
}

/** What lists take besides. */
export const issueListParameters = {
  ...issueFilters,
  state: Type.Optional(oneOf('all', 'opened', 'closed')),
  order_by: oneOfDefault(...issueOrders),
  sort: oneOfDefault('desc', 'asc'),
  with_labels_details: Off,
}

type SentTraits = Static<TObject<typeof planTraits>>
type SentFilters = Static<TObject<typeof issueFilters>>
type Sent = SentFilters & Partial<Pick<Static<TObject<typeof issueListParameters>>, 'state' | 'order_by' | 'sort'>>

/** Null where nothing can match. `usual` is the scope of lists that have one. Throws 400 for too many names. */
export function issueFilterOf(sent: Sent, usual: IssueFilter['scope'] = 'all'): IssueFilter | null {
  const { state, scope = usual, not, search, due_date, issue_type = 'issue', in: where } = sent
  if (issue_type !== 'issue') return null
  return {
    ...planTraitsOf(sent),
    scope: scope.replaceAll('-', '_') as IssueFilter['scope'],
    state: state === 'all' ? undefined : state,
    not: not && planTraitsOf(not),
    search,
    search_in: textsIn(where),
    due_date: due_date === '' ? undefined : due_date,
    confidential: sent.confidential,
    created_after: sent.created_after,
    created_before: sent.created_before,
    updated_after: sent.updated_after,
    updated_before: sent.updated_before,
    non_archived: sent.non_archived,
    order_by: sent.order_by,
    sort: sent.sort,
  }
}

/** The texts that a search is for; undefined for all. */
export function textsIn(names: string | undefined): IssueFilter['search_in'] {
  const columns = (names ?? '').split(',').filter((column) => column === 'title' || column === 'description')
  return columns.length > 0 ? columns : undefined
}

/** Throws 400 for too many names. */
export function planTraitsOf(sent: SentTraits): IssueTraits {
  const { author_username, my_reaction_emoji } = sent
  return {
    labels: labelsIn(sent.labels),
    milestone: milestoneIn(sent.milestone),
    milestone_id: sent.milestone_id ? (milestoneWord(sent.milestone_id) ?? Number(sent.milestone_id)) : undefined,
    author_id: idIn(sent.author_id),
    author_username: author_username || undefined,
    assignee_id: idIn(sent.assignee_id),
    assignee_usernames: usernamesIn(sent.assignee_username),
    my_reaction_emoji: my_reaction_emoji ? (anyWord(my_reaction_emoji) ?? { name: my_reaction_emoji }) : undefined,
    iids: sent.iids && sent.iids.length > 0 ? sent.iids : undefined,
  }
}

function anyWord(text: string): 'none' | 'any' | null {
  const lower = text.toLowerCase()
  return lower === 'none' || lower === 'any' ? lower : null
}

/** 11.3 has `0` for none. */
export function idIn(text: string | undefined): OrAny<number> | undefined {
  if (!text) return undefined
  return anyWord(text) ?? (Number(text) === 0 ? 'none' : Number(text))
}

function labelsIn(sent: string[] | undefined): OrAny<string[]> | undefined {
  const titles = titlesIn(sent)
  if (titles.length === 0) return undefined
  if (titles.length > maxTitles) throw badParameter(`labels has more than ${maxTitles} names`)
  if (titles.includes('No Label') || titles.some((title) => anyWord(title) === 'none')) return 'none'
  return titles.some((title) => anyWord(title) === 'any') ? 'any' : titles
}

export function usernamesIn(sent: string[] | undefined, parameter = 'assignee_username'): OrAny<string[]> | undefined {
  const names = titlesIn(sent)
  if (names.length === 0) return undefined
  if (names.length > maxTitles) throw badParameter(`${parameter} has more than ${maxTitles} names`)
  const [first = ''] = names
  return anyWord(first) ?? (first === '0' ? 'none' : names)
}

function titlesIn(sent: string[] | undefined): string[] {
  const titles = (sent ?? []).flatMap((text) => text.split(',')).map((title) => title.trim())
  return [...new Set(titles.filter((title) => title !== ''))]
}

function milestoneIn(title: string | undefined): IssueTraits['milestone'] {
  if (!title) return undefined
  return title === 'No Milestone' ? 'none' : (milestoneWord(title) ?? { title })
}

function milestoneWord(text: string): MilestoneWord | null {
  const lower = text.replace(/^#/, '').toLowerCase()
  return lower === 'upcoming' || lower === 'started' ? lower : anyWord(lower)
}
