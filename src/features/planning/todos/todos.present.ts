/** Todos as JSON. */
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { Todo, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import type { Presented } from '../../../http/schema.ts'
import { presentUserBrief, type UserInBrief } from '../../people/users/users.ts'
import { identitiesOf, type ProjectIdentity } from '../../spaces/projects/projects.ts'
import { type DescribedIssue, describeIssues, distinctIds, issuesByIds, issueUrl, presentIssue, usersByIds } from '../issues/issues.ts'
import { subscribedAmong } from '../participation/participation.ts'
import { bodiesOfNotes } from './surroundings.queries.ts'
import type { Todo as TodoSchema } from './todos.schema.ts'

/**
 * Todos that their user can see, with all that is shown of them: a fixed number of statements, however many there are. Those of what
 * was deleted meanwhile are left out.
 */
export async function presentTodos(app: App, user: User, todos: Todo[]): Promise<Array<Presented<typeof TodoSchema>>> {
  if (todos.length === 0) return []
  const { db, config } = app
  const issueIds = distinctIds(todos.map(({ issue_id }) => issue_id))
  const [issues, subscribed, projects, authors, notes] = await Promise.all([
    describedById(db, user, issueIds),
    subscribedAmong(db, user.id, issueIds),
    identitiesOf(
      db,
      todos.map(({ project_id }) => project_id),
    ),
    usersByIds(db, distinctIds(todos.map(({ author_id }) => author_id))),
    bodiesOfNotes(db, distinctIds(todos.map(({ note_id }) => note_id))),
  ])
  return todos.flatMap((todo) => {
    const described = issues.get(todo.issue_id ?? 0)
    if (!described) return []
    const { issue, project_path } = described
    const page = issueUrl(config, project_path, issue.iid)
    return {
      id: todo.id,
      project: projects.get(todo.project_id) as Presented<typeof ProjectIdentity>,
      author: presentUserBrief(config, authors.get(todo.author_id) as UserInBrief),
      action_name: todo.action,
      target_type: 'Issue',
      target: presentIssue(config, described, { within: null, subscribed: subscribed.has(issue.id) }),
      target_url: todo.note_id === null ? page : `${page}#note_${todo.note_id}`,
      body: notes.get(todo.note_id ?? 0) ?? issue.title,
      state: todo.state,
      created_at: todo.created_at,
      updated_at: todo.updated_at,
    }
  })
}

/** Throws 404 where what it is about was deleted meanwhile. */
export async function presentTodo(app: App, user: User, todo: Todo): Promise<Presented<typeof TodoSchema>> {
  const [presented] = await presentTodos(app, user, [todo])
  if (!presented) throw missing()
  return presented
}

async function describedById(db: Db, user: User, ids: number[]): Promise<Map<number, DescribedIssue>> {
  const described = await describeIssues(db, user, await issuesByIds(db, ids))
  return new Map(described.map((one) => [one.issue.id, one]))
}
