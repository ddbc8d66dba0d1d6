/** SQL for what issues of a list must be: a condition for each filter, over `issues`. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { contains } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { IssueText } from '../../../db/search.ts'
import type { Tables } from '../../../db/tables.ts'
import type { DueWord, IssueFilter, IssueScope, IssueTraits, MilestoneWord, OrAny } from './filter.ts'

export type InIssues = ExpressionBuilder<Tables, 'issues'>
type Condition = Expression<SqlBool>

/** All of them hold for the issues of the list; `viewerId` is who `created_by_me` and reactions are about. */
export function conditionsOf(eb: InIssues, scope: IssueScope, filter: IssueFilter, viewerId: number): Condition[] {
  const { state, confidential, created_after, created_before, updated_after, updated_before, not } = filter
  return [
    ...(filter.scope === 'created_by_me' ? [eb('issues.author_id', '=', viewerId)] : []),
    ...(filter.scope === 'assigned_to_me' ? [isAssignedTo(eb, viewerId)] : []),
    ...(state ? [eb('issues.state', '=', state)] : []),
    ...(confidential === undefined ? [] : [eb('issues.confidential', '=', confidential)]),
    ...traitsOf(eb, scope, filter, viewerId),
    ...(not ? traitsOf(eb, scope, not, viewerId, 'any of several').map((condition) => eb.not(condition)) : []),
    ...(filter.due_date ? [isDue(eb, filter.due_date)] : []),
    ...(created_after ? [eb('issues.created_at', '>=', created_after)] : []),
    ...(created_before ? [eb('issues.created_at', '<=', created_before)] : []),
    ...(updated_after ? [eb('issues.updated_at', '>=', updated_after)] : []),
    ...(updated_before ? [eb('issues.updated_at', '<=', updated_before)] : []),
  ]
}

/** Of several labels or assignees, all; of those that are not wanted, any. */
function traitsOf(
  eb: InIssues,
  scope: IssueScope,
  traits: IssueTraits,
  viewerId: number,
  several: 'all' | 'any of several' = 'all',
): Condition[] {
  const { labels, milestone, milestone_id, author_id, author_username, assignee_id, assignee_usernames, my_reaction_emoji, iids } = traits
  const join = (conditions: Condition[]) => (several === 'all' ? conditions : [eb.or(conditions)])
  const each = <T>(wanted: OrAny<T[]> | undefined, none: Condition, one: (value: T) => Condition): Condition[] => {
    if (wanted === undefined) return []
    if (wanted === 'none') return [none]
    return wanted === 'any' ? [eb.not(none)] : join(wanted.map(one))
  }
  return [
    ...each(labels, eb.not(eb.exists(labelsOfIssue(eb))), (title) => isLabelled(eb, scope, title)),
    ...(milestone ? [hasMilestone(eb, milestone)] : []),
    ...(milestone_id === undefined ? [] : [hasMilestone(eb, milestone_id)]),
    ...(typeof author_id === 'number' ? [eb('issues.author_id', '=', author_id)] : []),
    // Every issue has an author.
    ...(author_id === 'none' ? [sql<SqlBool>`1 = 0`] : []),
    ...(author_username ? [eb('issues.author_id', 'in', usersNamed(eb, author_username))] : []),
    ...each(asList(assignee_id), isUnassigned(eb), (id) => isAssignedTo(eb, id)),
    ...each(assignee_usernames, isUnassigned(eb), (name) => isAssignedToOneNamed(eb, name)),
    ...each(asList(my_reaction_emoji), eb.not(eb('issues.id', 'in', reactionsOf(eb, viewerId))), ({ name }) =>
      eb('issues.id', 'in', reactionsOf(eb, viewerId).where('award_emoji.name', '=', name)),
    ),
    ...(iids ? [eb('issues.iid', 'in', iids)] : []),
  ]
}

function asList<T>(wanted: OrAny<T> | undefined): OrAny<T[]> | undefined {
  if (wanted === undefined || wanted === 'none' || wanted === 'any') return wanted as 'none' | 'any' | undefined
  return [wanted]
}

function labelsOfIssue(eb: InIssues) {
  return eb.selectFrom('issue_labels').select('issue_labels.label_id').whereRef('issue_labels.issue_id', '=', 'issues.id')
}

/** Where the place is known, the issues of its labels are a set; over everything, the labels of each issue are looked at. */
function isLabelled(eb: InIssues, scope: IssueScope, title: string): Condition {
  if (!('project_id' in scope) && !('group_id' in scope)) {
    const named = labelsOfIssue(eb)
      .innerJoin('labels', 'labels.id', 'issue_labels.label_id')
      .where(sql<boolean>`labels.title || '' = ${title}`)
    // Not by the index over titles: it would lead through all issues with such a label.
    return eb.exists(named)
  }
  const ids = eb.selectFrom('labels').select('labels.id').where('labels.title', '=', title).where(isLabelIn(scope))
  return eb('issues.id', 'in', eb.selectFrom('issue_labels').select('issue_labels.issue_id').where('issue_labels.label_id', 'in', ids))
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

function hasMilestone(eb: InIssues, wanted: number | { title: string } | MilestoneWord): Condition {
  // Never null, so that it can be negated.
  if (typeof wanted === 'number') return eb.and([eb('issues.milestone_id', 'is not', null), eb('issues.milestone_id', '=', wanted)])
  // Not as `is null`: the index over milestones would lead through the issues of all projects.
  if (wanted === 'none') return sql<SqlBool>`coalesce(issues.milestone_id, 0) = 0`
  if (wanted === 'any') return sql<SqlBool>`coalesce(issues.milestone_id, 0) > 0`
  const milestones = eb.selectFrom('milestones').select('milestones.id')
  const isOne = (found: typeof milestones) => eb.and([eb('issues.milestone_id', 'is not', null), eb('issues.milestone_id', 'in', found)])
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

function usersNamed(eb: InIssues, username: string) {
  return eb.selectFrom('users').select('users.id').where('users.username_key', '=', username.toLowerCase())
}

function assignments(eb: InIssues) {
  return eb.selectFrom('issue_assignees').select('issue_assignees.issue_id')
}

function isUnassigned(eb: InIssues): Condition {
  return eb.not(eb.exists(assignments(eb).whereRef('issue_assignees.issue_id', '=', 'issues.id')))
}

function isAssignedTo(eb: InIssues, userId: number): Condition {
  return eb('issues.id', 'in', assignments(eb).where('issue_assignees.user_id', '=', userId))
}

function isAssignedToOneNamed(eb: InIssues, username: string): Condition {
  return eb('issues.id', 'in', assignments(eb).where('issue_assignees.user_id', 'in', usersNamed(eb, username)))
}

function reactionsOf(eb: InIssues, userId: number) {
  return eb
    .selectFrom('award_emoji')
    .select((award) => award.ref('award_emoji.issue_id').$notNull().as('issue_id'))
    .where('award_emoji.user_id', '=', userId)
    .where('award_emoji.issue_id', 'is not', null)
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
export function haveAll(eb: InIssues, words: string[], columns: IssueText[]): Condition {
  return eb.or(columns.map((column) => eb.and(words.map((word) => contains(`issues.${column}`, word)))))
}
