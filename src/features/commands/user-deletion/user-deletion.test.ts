/** Deleting a user: what stays of their planning, in every table that names a user. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Issue } from '../../../db/tables.ts'
import { addTodosIn } from '../../discussion/todos/todos.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

async function award(issue: Issue, user: TestUser, name: string) {
  const at = now()
  await forge.app.db
    .insertInto('award_emoji')
    .values({ issue_id: issue.id, note_id: null, user_id: user.id, name, created_at: at, updated_at: at })
    .execute()
  await forge.app.db
    .updateTable('issues')
    .set((eb) => ({ upvotes: eb('upvotes', '+', 1) }))
    .where('id', '=', issue.id)
    .execute()
}

async function record(issue: Issue, user: TestUser): Promise<void> {
  const { db } = forge.app
  const base = { issue_id: issue.id, user_id: user.id, created_at: now() }
  await db
    .insertInto('time_logs')
    .values({ ...base, time_spent: 60, spent_at: null })
    .execute()
  await db
    .insertInto('state_events')
    .values({ ...base, action: 'closed' })
    .execute()
  await db
    .insertInto('label_events')
    .values({ ...base, action: 'add', label_id: null })
    .execute()
  await db
    .insertInto('milestone_events')
    .values({ ...base, action: 'add', milestone_id: null })
    .execute()
  await db.updateTable('issues').set({ last_edited_by_id: user.id, closed_by_id: user.id }).where('id', '=', issue.id).execute()
}

async function scene() {
  const [owner, ada, bea] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter: ada, developer: bea, files: null })
  const own = await forge.issue(project, ada, { title: 'By Ada' })
  const other = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const first = await forge.note(project, other, ada, { discussion: 'new' })
  await forge.note(project, other, bea, { discussion: { id: first.discussion_id } })
  await award(other, ada, 'thumbsup')
  await record(other, ada)
  const todo = { target: { kind: 'issue', id: other.id }, project_id: project.id, author_id: ada.id, action: 'mentioned' } as const
  await inTransaction(forge.app.db, (tx) => addTodosIn(tx, [bea.id], todo))
  return { owner, ada, bea, project, own, other }
}

async function remove(user: TestUser, hard_delete = false) {
  const { status } = await forge.as(forge.root).delete(`/users/${user.id}${hard_delete ? '?hard_delete=true' : ''}`)
  expect(status).toBe(204)
}

async function look(owner: TestUser, project: TestProject, issue: Issue) {
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const { body } = await forge.as(owner).get(at)
  const { body: discussions } = await forge.as(owner).get(`${at}/discussions`)
  const authors = discussions.map(({ notes }: { notes: Array<{ author: { username: string } }> }) =>
    notes.map(({ author }) => author.username),
  )
  return {
    author: body.author?.username,
    notes: authors,
    user_notes_count: body.user_notes_count,
    upvotes: body.upvotes,
    assignees: body.assignees,
  }
}

test('issues, notes, votes and todos of a deleted user are the ghost’s, and their assignments end', async () => {
  const { owner, ada, bea, project, own, other } = await scene()

  await remove(ada)

  expect(await look(owner, project, own)).toMatchObject({ author: 'ghost' })
  expect(await look(owner, project, other)).toEqual({
    author: owner.username,
    notes: [['ghost', bea.username]],
    user_notes_count: 2,
    upvotes: 1,
    assignees: [],
  })
  const [todo] = (await forge.as(bea).get('/todos')).body
  expect([todo.author.username, todo.action_name]).toEqual(['ghost', 'mentioned'])
  expect((await forge.as(owner).get(`/projects/${project.id}/issues/${other.iid}`)).body.closed_by).toBe(null)
})

test('the votes of several deleted users stay several', async () => {
  const { owner, ada, bea, project, other } = await scene()
  await award(other, bea, 'thumbsup')
  await remove(ada)
  await remove(bea)
  const found = forge.app.db.selectFrom('award_emoji').select('name').where('issue_id', '=', other.id)
  expect([(await look(owner, project, other)).upvotes, (await found.execute()).length]).toEqual([2, 2])
})

test('a hard deletion takes issues, notes, votes and todos along, and counts what is left', async () => {
  const { owner, ada, bea, project, own, other } = await scene()

  await remove(ada, true)

  expect((await forge.as(owner).get(`/projects/${project.id}/issues/${own.iid}`)).status).toBe(404)
  expect(await look(owner, project, other)).toEqual({
    author: owner.username,
    notes: [[bea.username]],
    user_notes_count: 1,
    upvotes: 0,
    assignees: [],
  })
  expect((await forge.as(bea).get('/todos')).body).toEqual([])
  const logs = forge.app.db.selectFrom('time_logs').select('time_spent').where('issue_id', '=', other.id)
  expect(await logs.execute()).toEqual([{ time_spent: 60 }])
})

test.skipIf(engine === 'postgres')('no table of planning holds a deleted user back, and none forgets who did something', async () => {
  const { ada, other } = await scene()
  const { db } = forge.app
  await remove(ada)
  const kept = []
  for (const table of ['time_logs', 'label_events', 'milestone_events', 'state_events'] as const)
    kept.push(await db.selectFrom(table).select('user_id').where('issue_id', '=', other.id).where('user_id', 'is not', null).execute())
  expect(kept.map(({ length }) => length)).toEqual([1, 1, 1, 1])
  // A reference that refuses to go is one that the subscriber moves.
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master where type = 'table'`.execute(db)
  const refusing = rows.flatMap(({ name, sql: text }) =>
    [...text.matchAll(/"(\w+)" \w+[^,]*references "users" \("id"\) on delete restrict/g)].map(([, column]) => `${name}.${column}`),
  )
  const planning = ['issues', 'notes', 'time_logs', 'todos']
  expect(refusing.filter((column) => planning.some((table) => column.startsWith(`${table}.`))).sort()).toEqual([
    'issues.author_id',
    'notes.author_id',
    'time_logs.user_id',
    'todos.author_id',
  ])
})

test('a hard deletion leaves the replies on an issue and on its moved copy readable', async () => {
  const [owner, ada] = [await forge.user(), await forge.user()]
  const [project, other] = await Promise.all([1, 2].map(() => forge.project({ owner, reporter: ada, files: null })))
  const issue = await forge.issue(project as TestProject, owner)
  const one = `/projects/${project?.id}/issues/${issue.iid}`
  const { body: discussion } = await forge.as(ada).post(`${one}/discussions`, { body: 'First' })
  await forge.as(owner).post(`${one}/discussions/${discussion.id}/notes`, { body: 'Reply' })
  const { body: moved } = await forge.as(owner).post(`${one}/move`, { to_project_id: other?.id })
  await forge.as(forge.root).delete(`/users/${ada.id}?hard_delete=true`)
  await forge.drain()
  for (const at of [one, `/projects/${other?.id}/issues/${moved.iid}`]) {
    const { body } = await forge.as(owner).get(`${at}/discussions`)
    const opened = body.filter(({ notes }: { notes: Array<{ system: boolean }> }) => notes.some(({ system }) => !system))
    expect(opened.map(({ notes }: { notes: Array<{ body: string }> }) => notes.map((note) => note.body))).toEqual([['Reply']])
  }
})
