/** SQL conditions for the filters that lists of issues and merge requests have in common. */
import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { contains } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { IssueText } from '../../../db/search.ts'
import type { Tables } from '../../../db/tables.ts'
import type { CommonFilter, CommonTraits, ListScope, MilestoneWord, OrAny } from './filter.ts'
import { type IssuableTable, type IssuableTables, idColumns } from './kinds.ts'

export type Condition = Expression<SqlBool>

/** Works for either table: the given tables determine which. */
const eb = expressionBuilder<Tables, IssuableTable>()

/** Conditions that lists of issues and merge requests have in common. */
export function commonConditions(of: IssuableTables, scope: ListScope, filter: CommonFilter, viewerId: number): Condition[] {
  const { state, created_after, created_before, updated_after, updated_before, not } = filter
  const { table } = of
  return [
    ...(filter.scope === 'created_by_me' ? [eb(`${table}.author_id`, '=', viewerId)] : []),
    ...(filter.scope === 'assigned_to_me' ? [isAssignedTo(of, viewerId)] : []),
    ...(state ? [eb(`${table}.state`, '=', state)] : []),
    ...traitsOf(of, scope, filter, viewerId),
    ...(not ? traitsOf(of, scope, not, viewerId, 'any of several').map((condition) => eb.not(condition)) : []),
    ...(created_after ? [eb(`${table}.created_at`, '>=', created_after)] : []),
    ...(created_before ? [eb(`${table}.created_at`, '<=', created_before)] : []),
    ...(updated_after ? [eb(`${table}.updated_at`, '>=', updated_after)] : []),
    ...(updated_before ? [eb(`${table}.updated_at`, '<=', updated_before)] : []),
  ]
}

/** Conditions for traits. All wanted labels or assignees must be present, and none of the unwanted ones. */
function traitsOf(
  of: IssuableTables,
  scope: ListScope,
  traits: CommonTraits,
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
  const reactions = () => reactionsOf(of, viewerId)
  return [
    ...each(labels, eb.not(eb.exists(labelsOfRow(of))), (title) => isLabelled(of, scope, title)),
    ...(milestone ? [hasMilestone(of, milestone)] : []),
    ...(milestone_id === undefined ? [] : [hasMilestone(of, milestone_id)]),
    ...(typeof author_id === 'number' ? [eb(`${table}.author_id`, '=', author_id)] : []),
    // Each has an author, so `none` matches nothing.
    ...(author_id === 'none' ? [sql<SqlBool>`1 = 0`] : []),
    ...(author_username ? [eb(`${table}.author_id`, 'in', idOfUsername(author_username))] : []),
    ...each(asList(assignee_id), isUnassigned(of), (id) => isAssignedTo(of, id)),
    ...each(assignee_usernames, isUnassigned(of), (name) => isAssignedToOneNamed(of, name)),
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

function labelsOfRow({ table, labels }: IssuableTables) {
  return eb.selectFrom(labels).select(`${labels}.label_id`).whereRef(idColumns[labels], '=', `${table}.id`)
}

/** In a known scope, the rows with its labels are selected as a set; otherwise the labels of each row are checked. */
function isLabelled(of: IssuableTables, scope: ListScope, title: string): Condition {
  if (!('project_id' in scope) && !('group_id' in scope)) {
    const named = labelsOfRow(of)
      .innerJoin('labels', 'labels.id', `${of.labels}.label_id`)
      .where(sql<boolean>`labels.title || '' = ${title}`)
    // Prevents the index over titles, which would lead through everything with such a label.
    return eb.exists(named)
  }
  const ids = eb.selectFrom('labels').select('labels.id').where('labels.title', '=', title).where(isLabelIn(scope))
  const labelled = eb.selectFrom(of.labels).select(idColumns[of.labels]).where(`${of.labels}.label_id`, 'in', ids)
  return eb(`${of.table}.id`, 'in', labelled)
}

function isLabelIn(scope: { project_id: number } | { group_id: number }) {
  return (eb: ExpressionBuilder<Tables, 'labels'>) => {
    const ancestors = eb.selectFrom('namespace_ancestors as above').select('above.ancestor_id')
    if ('project_id' in scope) {
      const own = eb.selectFrom('projects as own').select('own.namespace_id').where('own.id', '=', scope.project_id)
      return eb.or([
        eb('labels.project_id', '=', scope.project_id),
        eb('labels.namespace_id', 'in', ancestors.where('above.namespace_id', 'in', own)),
      ])
    }
    const below = eb.selectFrom('namespace_ancestors as below').select('below.namespace_id').where('below.ancestor_id', '=', scope.group_id)
    const projects = eb.selectFrom('projects as own').select('own.id').where('own.namespace_id', 'in', below)
    return eb.or([
      eb('labels.project_id', 'in', projects),
      eb('labels.namespace_id', 'in', below),
      eb('labels.namespace_id', 'in', ancestors.where('above.namespace_id', '=', scope.group_id)),
    ])
  }
}

function hasMilestone({ table }: IssuableTables, wanted: number | { title: string } | MilestoneWord): Condition {
  const column = `${table}.milestone_id` as const
  // Never null, so that it can be negated.
  if (typeof wanted === 'number') return eb.and([eb(column, 'is not', null), eb(column, '=', wanted)])
  // Not `is null`, since the index over milestones would then lead through those of all projects.
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

export function idOfUsername(username: string) {
  return eb.selectFrom('users').select('users.id').where('users.username_key', '=', username.toLowerCase())
}

function assignments({ assignees }: IssuableTables) {
  return eb.selectFrom(assignees).select(idColumns[assignees])
}

function isUnassigned(of: IssuableTables): Condition {
  return eb.not(eb.exists(assignments(of).whereRef(idColumns[of.assignees], '=', `${of.table}.id`)))
}

function isAssignedTo(of: IssuableTables, userId: number): Condition {
  return eb(`${of.table}.id`, 'in', assignments(of).where(`${of.assignees}.user_id`, '=', userId))
}

function isAssignedToOneNamed(of: IssuableTables, username: string): Condition {
  return eb(`${of.table}.id`, 'in', assignments(of).where(`${of.assignees}.user_id`, 'in', idOfUsername(username)))
}

function reactionsOf({ award }: IssuableTables, userId: number) {
  return eb
    .selectFrom('award_emoji')
    .select((of) => of.ref(award).$notNull().as('issuable_id'))
    .where('award_emoji.user_id', '=', userId)
    .where(award, 'is not', null)
}

/** One of the texts contains every word; quoted words must be adjacent. */
export function haveAll(table: IssuableTable, words: string[], columns: IssueText[]): Condition {
  return eb.or(columns.map((column) => eb.and(words.map((word) => contains(`${table}.${column}`, word)))))
}
