/** SQL conditions for lists of merge requests: one per filter, over `merge_requests`. */
import { expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import {
  type Condition,
  commonConditions,
  idOfUsername,
  type ListScope,
  mergeRequestTables,
  type OrAny,
} from '../../planning/issuables/issuables.ts'
import type { MergeRequestFilter, MergeRequestTraits } from './filter.ts'

const eb = expressionBuilder<Tables, 'merge_requests'>()

/** All of them must hold for the merge requests of the list; `viewerId` is needed for `created_by_me` and reactions. */
export function conditionsOf(scope: ListScope, filter: MergeRequestFilter, viewerId: number): Condition[] {
  const { draft, approved, merge_user_id, merge_user_username, source_project_id, not } = filter
  return [
    ...commonConditions(mergeRequestTables, scope, filter, viewerId),
    ...(filter.scope === 'reviews_for_me' ? [isIn('merge_request_reviewers', [viewerId])] : []),
    ...traitsOf(filter),
    ...(not ? traitsOf(not, 'any of several').map((condition) => eb.not(condition)) : []),
    ...(draft === undefined ? [] : [eb('merge_requests.draft', '=', draft)]),
    ...(approved === undefined ? [] : [approved ? hasAny('approvals') : eb.not(hasAny('approvals'))]),
    ...(filter.pipeline === undefined ? [] : [newestPipelineIs(filter.pipeline)]),
    ...people('approvals', filter.approved_by_ids),
    ...people('approvals', filter.approved_by_usernames),
    ...(merge_user_id === undefined ? [] : [eb('merge_requests.merged_by_id', '=', merge_user_id)]),
    ...(merge_user_username ? [eb('merge_requests.merged_by_id', 'in', idOfUsername(merge_user_username))] : []),
    ...(source_project_id === undefined ? [] : [eb('merge_requests.source_project_id', '=', source_project_id)]),
  ]
}

/** The newest pipeline for the newest commit: of the merge request itself, or else in the project of the source branch. Each by an index. */
function newestPipelineIs(wanted: NonNullable<MergeRequestFilter['pipeline']>): Condition {
  const newest = eb
    .selectFrom('pipelines')
    .select('pipelines.status')
    .where('pipelines.source', '<>', 'parent_pipeline')
    .orderBy('pipelines.id', 'desc')
    .limit(1)
  const own = newest
    .whereRef('pipelines.merge_request_id', '=', 'merge_requests.id')
    .where((of) =>
      of.or([
        of('pipelines.source_sha', '=', of.ref('merge_requests.head_oid')),
        of('pipelines.sha', '=', of.ref('merge_requests.head_oid')),
      ]),
    )
  const ofBranch = newest
    .whereRef('pipelines.project_id', '=', 'merge_requests.source_project_id')
    .whereRef('pipelines.sha', '=', 'merge_requests.head_oid')
  const status = eb.fn.coalesce(own, ofBranch)
  return wanted === 'none' ? eb(status, 'is', null) : eb(status, 'in', wanted)
}

/** All of several wanted reviewers must match, and none of the unwanted ones. */
function traitsOf(traits: MergeRequestTraits, several: 'all' | 'any of several' = 'all'): Condition[] {
  const { reviewer_id, reviewer_username, source_branch, target_branch } = traits
  return [
    ...people('merge_request_reviewers', typeof reviewer_id === 'number' ? [reviewer_id] : reviewer_id, several),
    ...people('merge_request_reviewers', reviewer_username, several),
    ...(source_branch === undefined ? [] : [eb('merge_requests.source_branch', '=', source_branch)]),
    ...(target_branch === undefined ? [] : [eb('merge_requests.target_branch', '=', target_branch)]),
  ]
}

type PeopleTable = 'merge_request_reviewers' | 'approvals'

function people(
  table: PeopleTable,
  wanted: OrAny<Array<number | string>> | undefined,
  several: 'all' | 'any of several' = 'all',
): Condition[] {
  if (wanted === undefined) return []
  if (wanted === 'any') return [hasAny(table)]
  if (wanted === 'none') return [eb.not(hasAny(table))]
  const each = wanted.map((one) => isIn(table, typeof one === 'number' ? [one] : idOfUsername(one)))
  return several === 'all' ? each : [eb.or(each)]
}

function hasAny(table: PeopleTable): Condition {
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} where ${sql.ref(`${table}.merge_request_id`)} = merge_requests.id)`
}

/** One of these users is in the table, with the merge request. */
function isIn(table: PeopleTable, users: number[] | ReturnType<typeof idOfUsername>): Condition {
  const found = eb.selectFrom(table).select(`${table}.merge_request_id`)
  return eb('merge_requests.id', 'in', found.where(`${table}.user_id`, 'in', users))
}
