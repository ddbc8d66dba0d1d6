/** Todos of the caller (spec 4.18). */

import { findGroup, findProject } from '../../../access/find.ts'
import { requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { IssuableName, User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { issuableKinds, type NoteableKind } from '../../noteable-kinds.ts'
import { listTodos, type TodoFilter } from './lists.queries.ts'
import { presentTodo, presentTodos } from './todos.present.ts'
import { filters, filtersByState, Todo } from './todos.schema.ts'
import { completeAllTodos, completeTodo, markAsTodo } from './todos.service.ts'

export const todos = [
  listEndpoint('GET /todos', {
    summary: 'List the todos of the current user, the newest first',
    access: signedIn(),
    query: filtersByState,
    item: Todo,
    async handle({ app, user, query, page }) {
      await assertVisible(app, user, query)
      const { rows, total } = await listTodos(app.db, user, query, page)
      return { rows: await presentTodos(app, user, rows), total }
    },
  }),
  endpoint('POST /todos/mark_as_done', {
    summary: 'Mark all pending todos of the current user as done, or those that match',
    access: signedIn(),
    body: filters,
    reply: none,
    async handle({ app, user, body }) {
      await assertVisible(app, user, body)
      await completeAllTodos(app, user, body)
      return null
    },
  }),
  endpoint('POST /todos/:id/mark_as_done', {
    summary: 'Mark a todo of the current user as done',
    access: signedIn(),
    params: { id: Id },
    reply: Todo,
    async handle({ app, user, params }) {
      return presentTodo(app, user, await completeTodo(app, user, params.id))
    },
  }),
  ...issuableKinds.flatMap(todosOn),
]

/** Endpoints for the todos of a kind of noteable. */
function todosOn({ path, label, access }: NoteableKind<IssuableName>) {
  return [
    endpoint(`POST /projects/:id/${path}/todo`, {
      summary: `Add ${label} to the todos of the current user`,
      access,
      reply: Todo,
      fails: ['not_modified'],
      async handle({ app, user, noteable }) {
        const todo = await markAsTodo(app, user, noteable)
        if (!todo) throw new Failure('not_modified', '304 Not Modified')
        return presentTodo(app, user, todo)
      },
    }),
  ]
}

/** Throws 404 for a project, group or author that the caller can't see. */
async function assertVisible(app: App, user: User, { project_id, group_id, author_id }: TodoFilter): Promise<void> {
  if (project_id !== undefined) await findProject(app.db, String(project_id), user)
  if (group_id !== undefined) await findGroup(app.db, String(group_id), user)
  if (author_id !== undefined) await requireUser(app.db, author_id)
}
