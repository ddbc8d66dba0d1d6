/** Parameters of lists of merge requests (spec 4.3), with those of later versions, and the resulting filter. */
import { type Static, type TObject, Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { Id, Instant, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import {
  commonFilterOf,
  dateParameters,
  idIn,
  idOrWord,
  type OrAny,
  oldScopes,
  planTraits,
  planTraitsOf,
  scopeNamed,
  scopes,
  searchParameters,
  usernamesIn,
  word,
} from '../../planning/issuables/issuables.ts'
import { type MergeRequestFilter, type MergeRequestTraits, mergeRequestOrders } from './filter.ts'

const maxNames = 50
const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: maxNames, description: `${description}; or None or Any` }))
const branch = (side: string) => Type.Optional(Type.String({ maxLength: 1_000, description: `Name of the ${side} branch` }))

const traits = {
  ...planTraits,
  reviewer_id: idOrWord('Id of a reviewer'),
  reviewer_username: names('Usernames: reviewed by all of them'),
  source_branch: branch('source'),
  target_branch: branch('target'),
}

/** Parameters of all filtered lists. */
export const mergeRequestFilters = {
  ...traits,
  state: oneOfDefault('all', 'opened', 'closed', 'locked', 'merged'),
  scope: Type.Optional(oneOf(...scopes, 'reviews_for_me', ...oldScopes)),
  not: Type.Optional(Type.Object(traits, { description: 'What merge requests must not have' })),
  wip: Type.Optional(oneOf('yes', 'no', '')),
  draft: Type.Optional(Type.Boolean({ description: 'As wip, of which it is the newer name' })),
  approved: Type.Optional(oneOf('yes', 'no', '')),
  approved_by_ids: Type.Optional(
    Type.Array(Type.String({ pattern: '^(\\d{1,15}|[Nn]one|[Aa]ny|)$' }), {
      maxItems: maxNames,
      description: 'Ids of users: approved by all of them; or None or Any',
    }),
  ),
  approved_by_usernames: names('Usernames: approved by all of them'),
  merge_user_id: Type.Optional(Id),
  merge_user_username: word('Username of who merged it'),
  source_project_id: Type.Optional(Id),
  ...searchParameters,
  ...dateParameters,
}

/** Parameters of lists besides the filters. */
export const mergeRequestListParameters = {
  ...mergeRequestFilters,
  order_by: oneOfDefault(...mergeRequestOrders),
  sort: oneOfDefault('desc', 'asc'),
  view: Type.Optional(oneOf('simple')),
  with_labels_details: Off,
  with_merge_status_recheck: Type.Boolean({
    default: false,
    description: 'Without effect: the merge status is looked up again in the background after each push, never by a list',
  }),
  environment: Type.Optional(Type.String({ description: 'Without effect: there are no deployments' })),
  deployed_before: Type.Optional(Instant),
  deployed_after: Type.Optional(Instant),
}

type SentTraits = Static<TObject<typeof traits>>
type Sent = Static<TObject<typeof mergeRequestFilters>> & { order_by?: MergeRequestFilter['order_by']; sort?: 'asc' | 'desc' }

/** `usual` is the default scope of a list, if it has one. Throws 400 for too many names. */
export function mergeRequestFilterOf(sent: Sent, usual: MergeRequestFilter['scope'] = 'all'): MergeRequestFilter {
  const { state, scope = usual, not, approved, wip } = sent
  return {
    ...traitsOf(sent),
    ...commonFilterOf(sent),
    scope: scopeNamed(scope),
    state: state === 'all' ? undefined : state,
    not: not && traitsOf(not),
    draft: sent.draft ?? (wip ? wip === 'yes' : undefined),
    approved: approved ? approved === 'yes' : undefined,
    approved_by_ids: idsIn(sent.approved_by_ids),
    approved_by_usernames: usernamesIn(sent.approved_by_usernames, 'approved_by_usernames'),
    merge_user_id: sent.merge_user_id,
    merge_user_username: sent.merge_user_username || undefined,
    source_project_id: sent.source_project_id,
    order_by: sent.order_by,
  }
}

function traitsOf(sent: SentTraits): MergeRequestTraits {
  return {
    ...planTraitsOf(sent),
    reviewer_id: idIn(sent.reviewer_id),
    reviewer_username: usernamesIn(sent.reviewer_username, 'reviewer_username'),
    source_branch: sent.source_branch || undefined,
    target_branch: sent.target_branch || undefined,
  }
}

function idsIn(sent: string[] | undefined): OrAny<number[]> | undefined {
  const found = (sent ?? []).filter((text) => text !== '').map((text) => text.toLowerCase())
  if (found.length === 0) return undefined
  const [first] = found
  if (first === 'none' || first === 'any') return found.length === 1 ? first : refuseMixture()
  return found.some((text) => text === 'none' || text === 'any') ? refuseMixture() : found.map(Number)
}

function refuseMixture(): never {
  throw badParameter('approved_by_ids is invalid')
}
