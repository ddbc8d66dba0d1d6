/** Todos as JSON. */
import { pageUrl, projectUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { distinctIds } from '../../../db/rows.ts'
import type { Todo, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { subscribedAmong } from '../../planning/issuables/issuables.ts'
import { describeIssues, issuesByIds, presentIssue } from '../../planning/issues/issues.ts'
import { presentCommit } from '../../repository/commits/commits.ts'
import {
  describeMergeRequests,
  mergeRequestsByIds,
  newestVersionsOf,
  presentMergeRequest,
} from '../../review/merge-requests/merge-requests.ts'
import { identitiesOf, type ProjectIdentity } from '../../spaces/projects/projects.ts'
import { bodiesOfNotes } from './surroundings.queries.ts'
import type { Todo as TodoSchema } from './todos.schema.ts'

/**
 * Todos that their user can see, with everything that is displayed: a fixed number of statements, and one git process per project with
 * todos on commits. Todos of targets deleted meanwhile are left out.
 */
export async function presentTodos(app: App, user: User, todos: Todo[]): Promise<Array<Presented<typeof TodoSchema>>> {
  if (todos.length === 0) return []
  const { db, config } = app
  const [issues, mergeRequests, commits, projects, authors, notes] = await Promise.all([
    issuesOf(app, user, todos),
    mergeRequestsOf(app, user, todos),
    commitsOf(app, todos),
    identitiesOf(
      db,
      todos.map(({ project_id }) => project_id),
    ),
    usersInBrief(db, distinctIds(todos.map(({ author_id }) => author_id))),
    bodiesOfNotes(db, distinctIds(todos.map(({ note_id }) => note_id))),
  ])
  return todos.flatMap((todo) => {
    const project = projects.get(todo.project_id) as Presented<typeof ProjectIdentity>
    const about =
      issues.get(todo.issue_id ?? 0) ?? mergeRequests.get(todo.merge_request_id ?? 0) ?? aboutCommit(app, project, commits.get(keyOf(todo)))
    if (!about) return []
    const { target_type, target, page } = about
    return {
      id: todo.id,
      project,
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

const keyOf = ({ project_id, commit_oid }: Pick<Todo, 'project_id' | 'commit_oid'>) => `${project_id} ${commit_oid}`

/** The todos' commits that are still in git: cached by id. */
async function commitsOf(app: App, todos: Todo[]): Promise<Map<string, Commit>> {
  const found = new Map<string, Commit>()
  for (const todo of todos) {
    const { project_id, commit_oid, merge_request_id } = todo
    if (commit_oid === null || merge_request_id !== null || found.has(keyOf(todo))) continue
    const repo = app.git.open(project_id)
    const oid = await resolveCommit(repo, commit_oid)
    if (oid === commit_oid) found.set(keyOf(todo), await readCommit(repo, oid))
  }
  return found
}

function aboutCommit(
  { config }: App,
  { path_with_namespace: full_path }: Presented<typeof ProjectIdentity>,
  commit: Commit | undefined,
): About | null {
  if (!commit) return null
  const url = projectUrl(config, { full_path })
  return { target_type: 'Commit', target: presentCommit(commit, url), page: pageUrl(config, commitAddress({ full_path }, commit.oid)) }
}

/** Throws 404 if its target was deleted meanwhile. */
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
      return [id, { target_type: 'Issue', target, page: pageUrl(config, issueAddress({ full_path: one.project_path }, iid)) }]
    }),
  )
}

async function mergeRequestsOf({ db, config }: App, user: User, todos: Todo[]): Promise<Map<number, About>> {
  const ids = distinctIds(todos.map(({ merge_request_id }) => merge_request_id))
  if (ids.length === 0) return new Map()
  const [described, subscribed, versions] = await Promise.all([
    mergeRequestsByIds(db, ids).then((rows) => describeMergeRequests(db, rows)),
    subscribedAmong(db, user.id, ids, 'merge_request'),
    newestVersionsOf(db, ids),
  ])
  return new Map(
    described.map((one) => {
      const { id, iid } = one.merge_request
      const page = pageUrl(config, mergeRequestAddress(one.target, iid))
      const target = presentMergeRequest(config, one, { target: { subscribed: subscribed.has(id), version: versions.get(id) ?? null } })
      return [id, { target_type: 'MergeRequest', target, page }]
    }),
  )
}
