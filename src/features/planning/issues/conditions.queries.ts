/** SQL for what issues and merge requests of a list must be: a condition for each filter, over their table. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { contains } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { IssueText } from '../../../db/search.ts'
import type { Tables } from '../../../db/tables.ts'
import type { CommonFilter, DueWord, IssueFilter, IssueScope, IssueTraits, MilestoneWord, OrAny } from './filter.ts'

export type InIssues = ExpressionBuilder<Tables, 'issues'>
type Condition = Expression<SqlBool>

/** The tables of what is listed. Those of merge requests have the same columns: the types here are those of issues. */
export interface ListedTables {
  table: 'issues'
  id: 'issue_id'
  labels: 'issue_labels'
  assignees: 'issue_assignees'
}

export const issueTables: ListedTables = { table: 'issues', id: 'issue_id', labels: 'issue_labels', assignees: 'issue_assignees' }

export const mergeRequestTables = {
  table: 'merge_requests',
  id: 'merge_request_id',
  labels: 'merge_request_labels',
  assignees: 'merge_request_assignees',
} as unknown as ListedTables

/** All of them hold for the issues of the list; `viewerId` is who `created_by_me` and reactions are about. */
export function conditionsOf(eb: InIssues, scope: IssueScope, filter: IssueFilter, viewerId: number): Condition[] {
  const { confidential } = filter
  return [
    ...(confidential === undefined ? [] : [eb('issues.confidential', '=', confidential)]),
    ...commonConditions(eb, issueTables, scope, filter, viewerId),
    ...(filter.due_date ? [isDue(eb, filter.due_date)] : []),
  ]
}

/** What lists of issues and of merge requests can both be narrowed to. */
export function commonConditions(eb: InIssues, of: ListedTables, scope: IssueScope, filter: CommonFilter, viewerId: number): Condition[] {
  const { state, created_after, created_before, updated_after, updated_before, not } = filter
  const { table } = of
  return [
    ...(filter.scope === 'created_by_me' ? [eb(`${table}.author_id`, '=', viewerId)] : []),
    ...(filter.scope === 'assigned_to_me' ? [isAssignedTo(eb, of, viewerId)] : []),
    ...(state ? [eb(`${table}.state`, '=', state as 'opened')] : []),
    ...traitsOf(eb, of, scope, filter, viewerId),
    ...(not ? traitsOf(eb, of, scope, not, viewerId, 'any of several').map((condition) => eb.not(condition)) : []),
    ...(created_after ? [eb(`${table}.created_at`, '>=', created_after)] : []),
    ...(created_before ? [eb(`${table}.created_at`, '<=', created_before)] : []),
    ...(updated_after ? [eb(`${table}.updated_at`, '>=', updated_after)] : []),
    ...(updated_before ? [eb(`${table}.updated_at`, '<=', updated_before)] : []),
  ]
}

/** Of several labels or assignees, all; of those that are not wanted, any. */
function traitsOf(
  eb: InIssues,
  of: ListedTables,
  scope: IssueScope,
  traits: IssueTraits,
  viewerId: number,
  several: 'all' | 'any of several' = 'all',
): Condition[] {
  const { labels, milestone, milestone_id, author_id, author_username, assignee_id, assignee_usernames, my_reaction_emoji, iids } = traits
  const { table } = of
  const join = (conditions: Condition[]) => (several === 'all' ? conditions : [eb.or(conditions)])
  const each = <T>(wanted: OrAny<T[]> | undefined, none: Condition, one: (value: T) => Condition): Condition[] => {
    if (wanted === undefined) return []
    if (wanted === 'none') return [none]
    return wanted === 'any' ? [eb.not(none)] : join(wanted.map(one))
  }
  const reactions = () => reactionsOf(eb, of, viewerId)
  return [
    ...each(labels, eb.not(eb.exists(labelsOfRow(eb, of))), (title) => isLabelled(eb, of, scope, title)),
    ...(milestone ? [hasMilestone(eb, of, milestone)] : []),
    ...(milestone_id === undefined ? [] : [hasMilestone(eb, of, milestone_id)]),
    ...(typeof author_id === 'number' ? [eb(`${table}.author_id`, '=', author_id)] : []),
    // Each has an author.
    ...(author_id === 'none' ? [sql<SqlBool>`1 = 0`] : []),
    ...(author_username ? [eb(`${table}.author_id`, 'in', idOfUsername(eb, author_username))] : []),
    ...each(asList(assignee_id), isUnassigned(eb, of), (id) => isAssignedTo(eb, of, id)),
    ...each(assignee_usernames, isUnassigned(eb, of), (name) => isAssignedToOneNamed(eb, of, name)),
    ...each(asList(my_reaction_emoji), eb.not(eb(`${table}.id`, 'in', reactions())), ({ name }) =>
      eb(`${table}.id`, 'in', reactions().where('award_emoji.name', '=', name)),
    ),
    ...(iids ? [eb(`${table}.iid`, 'in', iids)] : []),
  ]
}

function asList<T>(wanted: OrAny<T> | undefined): OrAny<T[]> | undefined {
  if (wanted === undefined || wanted === 'none' || wanted === 'any') return wanted as 'none' | 'any' | undefined
  return [wanted]
}

function labelsOfRow(eb: InIssues, { table, id, labels }: ListedTables) {
  return eb.selectFrom(labels).select(`${labels}.label_id`).whereRef(`${labels}.${id}`, '=', `${table}.id`)
}

/** Where the place is known, what has its labels is a set; over everything, the labels of each row are looked at. */
function isLabelled(eb: InIssues, of: ListedTables, scope: IssueScope, title: string): Condition {
  if (!('project_id' in scope) && !('group_id' in scope)) {
    const named = labelsOfRow(eb, of)
      .innerJoin('labels', 'labels.id', `${of.labels}.label_id`)
      .where(sql<boolean>`labels.title || '' = ${title}`)
    // Not by the index over titles: it would lead through everything with such a label.
    return eb.exists(named)
  }
  const ids = eb.selectFrom('labels').select('labels.id').where('labels.title', '=', title).where(isLabelIn(scope))
  const labelled = eb.selectFrom(of.labels).select(`${of.labels}.${of.id}`).where(`${of.labels}.label_id`, 'in', ids)
  return eb(`${of.table}.id`, 'in', labelled)
}

function isLabelIn(scope: { project_id: number } | { group_id: number }) {
  return (eb: ExpressionBuilder<Tables, 'labels'>) => {
    const ancestors = eb.selectFrom('namespace_ancestors as above').select('above.ancestor_id')
    if ('project_id' in scope) {
      const own = eb.selectFrom('projects as place').select('place.namespace_id').where('place.id', '=', scope.project_id)
      return eb.or([
        eb('labels.project_id', '=', scope.project_id),
        eb('labels.namespace_id', 'in', ancestors.where('above.namespace_id', 'in', own)),
      ])
    }
    const below = eb.selectFrom('namespace_ancestors as below').select('below.namespace_id').where('below.ancestor_id', '=', scope.group_id)
    const projects = eb.selectFrom('projects as place').select('place.id').where('place.namespace_id', 'in', below)
    return eb.or([
      eb('labels.project_id', 'in', projects),
      eb('labels.namespace_id', 'in', below),
      eb('labels.namespace_id', 'in', ancestors.where('above.namespace_id', '=', scope.group_id)),
    ])
  }
}

function hasMilestone(eb: InIssues, { table }: ListedTables, wanted: number | { title: string } | MilestoneWord): Condition {
  const column = `${table}.milestone_id` as const
  // Never null, so that it can be negated.
  if (typeof wanted === 'number') return eb.and([eb(column, 'is not', null), eb(column, '=', wanted)])
  // Not as `is null`: the index over milestones would lead through those of all projects.
  if (wanted === 'none') return sql<SqlBool>`coalesce(${sql.ref(column)}, 0) = 0`
  if (wanted === 'any') return sql<SqlBool>`coalesce(${sql.ref(column)}, 0) > 0`
  const milestones = eb.selectFrom('milestones').select('milestones.id')
  const isOne = (found: typeof milestones) => eb.and([eb(column, 'is not', null), eb(column, 'in', found)])
  if (typeof wanted === 'object') return isOne(milestones.where('milestones.title', '=', wanted.title))
  const active = milestones.where('milestones.state', '=', 'active')
  if (wanted === 'started') return isOne(active.where('milestones.start_date', '<=', today()))
  const future = active.where('milestones.due_date', '>', today())
  return isOne(
    future.where(({ not, exists, selectFrom, eb: inner, or, ref }) =>
      not(
        exists(
          selectFrom('milestones as sooner')
            .select('sooner.id')
            .where('sooner.state', '=', 'active')
            .where('sooner.due_date', '>', today())
            .where('sooner.due_date', '<', ref('milestones.due_date'))
            .where(
              or([
                inner('sooner.project_id' as 'milestones.project_id', '=', ref('milestones.project_id')),
                inner('sooner.namespace_id' as 'milestones.namespace_id', '=', ref('milestones.namespace_id')),
              ]),
            ),
        ),
      ),
    ),
  )
}

export function idOfUsername(eb: InIssues, username: string) {
  return eb.selectFrom('users').select('users.id').where('users.username_key', '=', username.toLowerCase())
}

function assignments(eb: InIssues, { assignees, id }: ListedTables) {
  return eb.selectFrom(assignees).select(`${assignees}.${id}`)
}

function isUnassigned(eb: InIssues, of: ListedTables): Condition {
  return eb.not(eb.exists(assignments(eb, of).whereRef(`${of.assignees}.${of.id}`, '=', `${of.table}.id`)))
}

function isAssignedTo(eb: InIssues, of: ListedTables, userId: number): Condition {
  return eb(`${of.table}.id`, 'in', assignments(eb, of).where(`${of.assignees}.user_id`, '=', userId))
}

function isAssignedToOneNamed(eb: InIssues, of: ListedTables, username: string): Condition {
  return eb(`${of.table}.id`, 'in', assignments(eb, of).where(`${of.assignees}.user_id`, 'in', idOfUsername(eb, username)))
}

function reactionsOf(eb: InIssues, { id }: ListedTables, userId: number) {
  return eb
    .selectFrom('award_emoji')
    .select((award) => award.ref(`award_emoji.${id}`).$notNull().as('issue_id'))
    .where('award_emoji.user_id', '=', userId)
    .where(`award_emoji.${id}`, 'is not', null)
}

const day_ms = 86_400_000

/** Weeks begin on Monday. */
function isDue(eb: InIssues, word: DueWord): Condition {
  const at = (day: Date) => day.toISOString().slice(0, 10)
  const day = new Date(`${today()}T00:00:00Z`)
  const plus = (days: number) => new Date(day.getTime() + days * day_ms)
  const endOfMonth = (months: number) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0))
  const between = (first: Date, last: Date) => eb.and([eb('issues.due_date', '>=', at(first)), eb('issues.due_date', '<=', at(last))])
  const sinceMonday = (day.getUTCDay() + 6) % 7
  switch (word) {
    case '0':
      return eb('issues.due_date', 'is', null)
    case 'any':
      return eb('issues.due_date', 'is not', null)
    case 'today':
      return between(day, day)
    case 'tomorrow':
      return between(plus(1), plus(1))
    case 'overdue':
      return eb('issues.due_date', '<', at(day))
    case 'week':
      return between(plus(-sinceMonday), plus(6 - sinceMonday))
    case 'month':
      return between(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)), endOfMonth(0))
    case 'next_month_and_previous_two_weeks':
      return between(plus(-14), endOfMonth(1))
  }
}

/** One of the texts has every word; words in quotes stand together. */
export function haveAll(eb: InIssues, { table }: ListedTables, words: string[], columns: IssueText[]): Condition {
  return eb.or(columns.map((column) => eb.and(words.map((word) => contains(`${table}.${column}`, word)))))
}
