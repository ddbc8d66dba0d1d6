/** SQL for lists of todos, limited to those about things that their user can still see. */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { withMemberships } from '../../../access/memberships.ts'
import { levelFor } from '../../../access/permissions.ts'
import { codeVisibleTo, issuesVisibleTo, mergeRequestsVisibleTo, projectsOfMember } from '../../../access/visible.ts'
import type { Db, Found, PageOf, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Tables, Todo, TodoAction, User } from '../../../db/tables.ts'

export interface TodoFilter {
  state?: 'pending' | 'done' | undefined
  action?: TodoAction | undefined
  author_id?: number | undefined
  project_id?: number | undefined
  /** With all subgroups. */
  group_id?: number | undefined
  /** The kind of target, by its name in the API. */
  type?: string | undefined
}

/** New rows in these tables can't enter a list by themselves: a todo is always younger than its target, and its own row is noticed. */
const oldRowsOf = ['issues', 'merge_requests', 'notes'] as const

/** Newest first: four statements, two of them cached until something is written. */
export async function listTodos(db: Db, user: User, filter: TodoFilter, page: PageOf): Promise<Found<Todo>> {
  const list = (await visibleTodos(db, user)).list.where(matches(filter))
  // An index finds the todos of any user. Each filter would need a statement of its own.
  const keepsPlan = Object.entries(filter).every(([name, value]) => value === undefined || name === 'state')
  const options = { keepsPlan, oldRowsOf }
  const total = await totalOf(db, list, undefined, options)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => list.select('todos.id').orderBy('todos.id', isReversed ? 'asc' : 'desc')
  return { rows: await pageOfList(db, ids, { ...page, total }, todosByIds, options), total }
}

const todosByIds = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('todos')
    .selectAll()
    .where(among(db, 'id', ids)),
)

export async function countTodos(db: Db, user: User, filter: TodoFilter): Promise<number> {
  return totalOf(db, (await visibleTodos(db, user)).list.where(matches(filter)), undefined, { oldRowsOf })
}

/** Null if it isn't theirs, or its target is now hidden from them. */
export async function todoOf(db: Db, user: User, id: number): Promise<Todo | null> {
  const { list } = await visibleTodos(db, user)
  return (await list.selectAll('todos').where('todos.id', '=', id).executeTakeFirst()) ?? null
}

export function markTodo(tx: Tx, id: number, state: Todo['state']): Promise<Todo> {
  return tx.updateTable('todos').set({ state, updated_at: now() }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Marks all matching pending ones as done, including hidden ones, which must not reappear when access is regained. Returns their ids. */
export async function completeAll(tx: Tx, userId: number, filter: TodoFilter): Promise<number[]> {
  const own = tx.selectFrom('todos').innerJoin('projects', 'projects.id', 'todos.project_id').where('todos.user_id', '=', userId)
  const ids = own.where(matches(filter)).where('todos.state', '=', 'pending').select('todos.id')
  const done = await tx.updateTable('todos').set({ state: 'done', updated_at: now() }).where('id', 'in', ids).returning('id').execute()
  return done.map(({ id }) => id)
}

/** The columns of the kinds, keyed by their names in the API. */
const columns = { Issue: 'todos.issue_id', MergeRequest: 'todos.merge_request_id', Commit: 'todos.commit_oid' } as const

function matches({ state, action, author_id, project_id, group_id, type }: TodoFilter) {
  return (eb: ExpressionBuilder<Tables, 'todos' | 'projects'>) => {
    const below = (id: number) =>
      eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('namespace_ancestors.ancestor_id', '=', id)
    return eb.and([
      ...(state ? [eb('todos.state', '=', state)] : []),
      ...(action ? [eb('todos.action', '=', action)] : []),
      ...(author_id === undefined ? [] : [eb('todos.author_id', '=', author_id)]),
      ...(project_id === undefined ? [] : [eb('todos.project_id', '=', project_id)]),
      ...(group_id === undefined ? [] : [eb('projects.namespace_id', 'in', below(group_id))]),
      ...(type === undefined ? [] : [type in columns ? eb(columns[type as keyof typeof columns], 'is not', null) : sql<SqlBool>`1 = 0`]),
    ])
  }
}

/** The pending ones of a user whose memberships are known, unordered. */
export function pendingTodosOf(db: Db, user: User) {
  return todosVisibleTo(db, user).where('todos.state', '=', 'pending')
}

async function visibleTodos(db: Db, caller: User) {
  // Wrapped in an object, since a query is awaitable and would be run when a promise resolves to it.
  return { list: todosVisibleTo(db, await withMemberships(db, caller)) }
}

function todosVisibleTo(db: Db, user: User) {
  const own = db
    .selectFrom('todos')
    .innerJoin('projects', 'projects.id', 'todos.project_id')
    .leftJoin('issues', 'issues.id', 'todos.issue_id')
    .leftJoin('notes', 'notes.id', 'todos.note_id')
    .where('todos.user_id', '=', user.id)
    .where((eb) =>
      eb.or([
        eb.and([eb('todos.issue_id', 'is not', null), issuesVisibleTo(user)(eb as never)]),
        eb.and([eb('todos.merge_request_id', 'is not', null), mergeRequestsVisibleTo(user)(eb as never)]),
        eb.and([eb('todos.commit_oid', 'is not', null), codeVisibleTo(user)(eb as never)]),
      ]),
    )
  // Internal notes are visible from reporter up.
  return own.where((eb) =>
    user.admin
      ? sql<SqlBool>`1 = 1`
      : eb.or([
          eb('notes.id', 'is', null),
          eb('notes.internal', '=', false),
          projectsOfMember(user, levelFor('read_internal_notes'))(eb as never),
        ]),
  )
}
