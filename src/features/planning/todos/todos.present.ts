/** Todos as JSON. */
import type { App } from '../../../app.ts'
import type { Todo, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import type { Presented } from '../../../http/schema.ts'
import { presentUserBrief, type UserInBrief } from '../../people/users/users.ts'
import {
  describeMergeRequests,
  mergeRequestsByIds,
  mergeRequestUrl,
  presentMergeRequest,
} from '../../review/merge-requests/merge-requests.ts'
import { identitiesOf, type ProjectIdentity } from '../../spaces/projects/projects.ts'
import { describeIssues, distinctIds, issuesByIds, issueUrl, presentIssue, usersByIds } from '../issues/issues.ts'
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
  const [issues, mergeRequests, projects, authors, notes] = await Promise.all([
    issuesOf(app, user, todos),
    mergeRequestsOf(app, todos),
    identitiesOf(
      db,
      todos.map(({ project_id }) => project_id),
    ),
    usersByIds(db, distinctIds(todos.map(({ author_id }) => author_id))),
    bodiesOfNotes(db, distinctIds(todos.map(({ note_id }) => note_id))),
  ])
  return todos.flatMap((todo) => {
    const about = issues.get(todo.issue_id ?? 0) ?? mergeRequests.get(todo.merge_request_id ?? 0)
    if (!about) return []
    const { target_type, target, page } = about
    return {
      id: todo.id,
      project: projects.get(todo.project_id) as Presented<typeof ProjectIdentity>,
      author: presentUserBrief(config, authors.get(todo.author_id) as UserInBrief),
      action_name: todo.action,
      target_type,
      target,
      target_url: todo.note_id === null ? page : `${page}#note_${todo.note_id}`,
      body: notes.get(todo.note_id ?? 0) ?? target.title,
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

type About = Pick<Presented<typeof TodoSchema>, 'target_type' | 'target'> & { page: string }

async function issuesOf({ db, config }: App, user: User, todos: Todo[]): Promise<Map<number, About>> {
  const ids = distinctIds(todos.map(({ issue_id }) => issue_id))
  if (ids.length === 0) return new Map()
  const [described, subscribed] = await Promise.all([
    issuesByIds(db, ids).then((issues) => describeIssues(db, user, issues)),
    subscribedAmong(db, user.id, ids),
  ])
  return new Map(
    described.map((one) => {
      const { id, iid } = one.issue
      const target = presentIssue(config, one, { within: null, subscribed: subscribed.has(id) })
      return [id, { target_type: 'Issue', target, page: issueUrl(config, one.project_path, iid) }]
    }),
  )
}

async function mergeRequestsOf({ db, config }: App, todos: Todo[]): Promise<Map<number, About>> {
  const ids = distinctIds(todos.map(({ merge_request_id }) => merge_request_id))
  if (ids.length === 0) return new Map()
  const described = await describeMergeRequests(db, await mergeRequestsByIds(db, ids))
  return new Map(
    described.map((one) => {
      const { id, iid } = one.merge_request
      const page = mergeRequestUrl(config, one.target.full_path, iid)
      return [id, { target_type: 'MergeRequest', target: presentMergeRequest(config, one), page }]
    }),
  )
}
