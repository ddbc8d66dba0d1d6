/** Parameters of lists of issues (spec 4.2), with those of later versions, and the resulting filter. */
import { type Static, type TObject, Type } from 'typebox'
import { Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import {
  commonFilterOf,
  dateParameters,
  oldScopes,
  planTraits,
  planTraitsOf,
  scopeNamed,
  scopes,
  searchParameters,
} from '../issuables/issuables.ts'
import { dueWords, type IssueFilter, issueOrders } from './filter.ts'

/** Filters that lists and statistics have in common. */
export const issueFilters = {
  ...planTraits,
  scope: Type.Optional(oneOf(...scopes, ...oldScopes)),
  not: Type.Optional(Type.Object(planTraits, { description: 'What issues must not have' })),
  ...searchParameters,
  confidential: Type.Optional(Type.Boolean()),
  due_date: Type.Optional(oneOf(...dueWords, '')),
  issue_type: Type.Optional(oneOf('issue', 'incident', 'test_case', 'task', 'requirement')),
  ...dateParameters,
}

/** Parameters of lists, besides the filters. */
export const issueListParameters = {
  ...issueFilters,
  state: Type.Optional(oneOf('all', 'opened', 'closed')),
  order_by: oneOfDefault(...issueOrders),
  sort: oneOfDefault('desc', 'asc'),
  with_labels_details: Off,
}

type SentFilters = Static<TObject<typeof issueFilters>>
type Sent = SentFilters & Partial<Pick<Static<TObject<typeof issueListParameters>>, 'state' | 'order_by' | 'sort'>>

/** Null if nothing can match. `usual` is the default scope of a list, if it has one. Throws 400 for too many names. */
export function issueFilterOf(sent: Sent, usual: IssueFilter['scope'] = 'all'): IssueFilter | null {
  const { state, scope = usual, not, due_date, issue_type = 'issue' } = sent
  if (issue_type !== 'issue') return null
  return {
    ...planTraitsOf(sent),
    ...commonFilterOf(sent),
    scope: scopeNamed(scope),
    state: state === 'all' ? undefined : state,
    not: not && planTraitsOf(not),
    due_date: due_date === '' ? undefined : due_date,
    confidential: sent.confidential,
    order_by: sent.order_by,
  }
}
