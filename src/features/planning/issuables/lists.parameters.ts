/** Common parameters of lists of issues and merge requests (spec 4.2, 4.3), and the resulting part of a filter. */
import { type Static, type TObject, Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { Id, Instant } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import type { CommonFilter, CommonTraits, MilestoneWord, OrAny } from './filter.ts'

/** Each is a condition of its own, of which engines allow some hundreds. */
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

/** Traits that lists of issues and merge requests can be filtered by, also negated under `not`. */
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

/** The search term, and where to search. */
export const searchParameters = {
  search: Type.Optional(Type.String({ maxLength: maxSearch_chars, description: 'Words of the title or the description' })),
  in: Type.Optional(
    Type.String({
      pattern: '^(title|description)?(,(title|description))*$',
      description: 'Where the words are looked for: title, description, or both with a comma',
    }),
  ),
}

export const dateParameters = {
  created_after: Type.Optional(Instant),
  created_before: Type.Optional(Instant),
  updated_after: Type.Optional(Instant),
  updated_before: Type.Optional(Instant),
  non_archived: Type.Boolean({ default: false, description: 'Leave out archived projects' }),
}

type SentTraits = Static<TObject<typeof planTraits>>
type SentFilters = Static<TObject<typeof searchParameters & typeof dateParameters>> & Pick<CommonFilter, 'sort'>

/** The part of a filter that is copied from the parameters, without traits. */
export function commonFilterOf(sent: SentFilters): Omit<CommonFilter, keyof CommonTraits | 'scope' | 'state' | 'not'> {
  const { search, created_after, created_before, updated_after, updated_before, non_archived, sort } = sent
  return { search, search_in: textsIn(sent.in), created_after, created_before, updated_after, updated_before, non_archived, sort }
}

/** The current name of a scope. */
export function scopeNamed<S extends string>(name: S | (typeof oldScopes)[number]): Exclude<S, (typeof oldScopes)[number]> {
  return name.replaceAll('-', '_') as Exclude<S, (typeof oldScopes)[number]>
}

/** Throws 400 for a keyset page in an order without support for it. */
export function assertKeysetOrder({ keyset }: Page): void {
  if (keyset && !/^(created|updated)_at$/.test(keyset.order_by)) {
    throw badParameter('order_by must be created_at or updated_at with pagination=keyset')
  }
}

/** The texts to search; undefined for all. */
function textsIn(names: string | undefined): CommonFilter['search_in'] {
  const columns = (names ?? '').split(',').filter((column) => column === 'title' || column === 'description')
  return columns.length > 0 ? columns : undefined
}

/** Throws 400 for too many names. */
export function planTraitsOf(sent: SentTraits): CommonTraits {
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

/** Release 11.3 uses `0` for none. */
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

function milestoneIn(title: string | undefined): CommonTraits['milestone'] {
  if (!title) return undefined
  return title === 'No Milestone' ? 'none' : (milestoneWord(title) ?? { title })
}

function milestoneWord(text: string): MilestoneWord | null {
  const lower = text.replace(/^#/, '').toLowerCase()
  return lower === 'upcoming' || lower === 'started' ? lower : anyWord(lower)
}
