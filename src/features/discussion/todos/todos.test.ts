/** Todos in the API: lists, filters, marking, and what is hidden. */
import { beforeAll, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Issue, TodoAction } from '../../../db/tables.ts'
import { addTodosIn, restoreTodo } from './todos.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

async function cast() {
  const [owner, ada] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner })
  const project = await forge.project({ group, reporter: ada, files: null })
  return { owner, ada, group, project }
}

function give(user: TestUser, issue: Issue, author: TestUser, action: TodoAction, note_id: number | null = null) {
  const todo = { target: { kind: 'issue' as const, id: issue.id }, project_id: issue.project_id, author_id: author.id, action, note_id }
  return inTransaction(forge.app.db, (tx) => addTodosIn(tx, [user.id], todo))
}

async function list(user: TestUser, query = ''): Promise<Array<Record<string, never>>> {
  const { status, body } = await forge.as(user).get(`/todos${query}`)
  expect([query, status]).toEqual([query, 200])
  return body
}

const titles = (todos: Array<Record<string, { title: string }>>) => todos.map(({ target }) => target?.title)

test('a todo shows its project, its author, the issue and its address', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { title: 'Please read', assignee_ids: [ada.id] })

  const [todo] = await list(ada)

  const { id: _, ...rest } = todo as Record<string, unknown>
  const { body: target } = await forge.as(ada).get(`/projects/${project.id}/issues/${issue.iid}`)
  expect(rest).toEqual({
    project: {
      id: project.id,
      description: null,
      name: project.name,
      name_with_namespace: `${project.namespace_name} / ${project.name}`,
      path: project.path,
      path_with_namespace: project.full_path,
      created_at: project.created_at,
    },
    author: target.author,
    action_name: 'assigned',
    target_type: 'Issue',
    target: { ...target, references: { ...target.references, relative: target.references.full } },
    target_url: target.web_url,
    body: 'Please read',
    state: 'pending',
    created_at: issue.created_at,
    updated_at: issue.created_at,
  })
  expect(target.subscribed).toBe(true)
})

test('a todo about a note shows its text and leads to it', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner)
  const note = await forge.note(project, issue, owner, { body: 'What do you think?' })
  await give(ada, issue, owner, 'mentioned', note.id)

  const [todo] = await list(ada)

  expect(todo).toMatchObject({ body: 'What do you think?', action_name: 'mentioned' })
  expect(String(todo?.target_url)).toMatch(new RegExp(`/${project.full_path}/issues/${issue.iid}#note_${note.id}$`))
})

test('todos are listed newest first, and every filter narrows the list', async () => {
  const { owner, ada, group, project } = await cast()
  const below = await forge.group({ parent: group })
  const deep = await forge.project({ group: below, files: null })
  const elsewhere = await forge.project({ owner, reporter: ada, files: null })
  const other = await forge.user()
  await give(ada, await forge.issue(project, owner, { title: 'one' }), owner, 'assigned')
  await give(ada, await forge.issue(deep, owner, { title: 'two' }), other, 'mentioned')
  await give(ada, await forge.issue(elsewhere, owner, { title: 'three' }), owner, 'directly_addressed')
  await forge.as(forge.root).post(`/groups/${below.id}/members`, { user_id: ada.id, access_level: 20 })
  const [newest] = await list(ada)
  await forge.as(ada).post(`/todos/${newest?.id}/mark_as_done`)
  await give(ada, await forge.issue(elsewhere, owner, { title: 'four' }), other, 'marked')

  const queries: Record<string, string> = {
    none: '',
    done: '?state=done',
    pending: '?state=pending',
    mentioned: '?action=mentioned',
    author: `?author_id=${other.id}`,
    project: `?project_id=${project.id}`,
    'group with what is below': `?group_id=${group.id}`,
    'group below': `?group_id=${below.id}`,
    issues: '?type=Issue',
    'merge requests': '?type=MergeRequest',
    'author and action': `?author_id=${owner.id}&action=assigned`,
    'author, and an action of another': `?author_id=${owner.id}&action=mentioned`,
  }
  const found: Record<string, unknown> = {}
  for (const [name, query] of Object.entries(queries)) found[name] = titles(await list(ada, query))
  expect(found).toEqual({
    none: ['four', 'two', 'one'],
    done: ['three'],
    pending: ['four', 'two', 'one'],
    mentioned: ['two'],
    author: ['four', 'two'],
    project: ['one'],
    'group with what is below': ['two', 'one'],
    'group below': ['two'],
    issues: ['four', 'two', 'one'],
    'merge requests': [],
    'author and action': ['one'],
    'author, and an action of another': [],
  })
})

test('what a filter names must be there for the caller, and its values must be known', async () => {
  const { ada } = await cast()
  const hidden = await forge.project({ group: await forge.group(), files: null })
  const statuses = []
  for (const query of [
    `project_id=${hidden.id}`,
    'project_id=999999',
    `group_id=${hidden.namespace_id}`,
    'author_id=999999',
    'project_id=0',
    'state=open',
    'action=poked',
    'type=Cake',
  ])
    statuses.push((await forge.as(ada).get(`/todos?${query}`)).status)
  expect(statuses).toEqual([404, 404, 404, 404, 400, 400, 400, 400])
})

test('marking one todo as done answers with it, also when it was done; that of others is not found', async () => {
  const { owner, ada, project } = await cast()
  await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const [todo] = await list(ada)
  const path = `/todos/${todo?.id}/mark_as_done`

  const foreign = await forge.as(owner).post(path)
  const first = await forge.as(ada).post(path)
  const again = await forge.as(ada).post(path)

  expect([foreign.status, foreign.body]).toEqual([404, { message: '404 Not found' }])
  expect([first.status, first.body.id, first.body.state]).toEqual([201, todo?.id, 'done'])
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await list(ada)).toEqual([])
})

test('marking all as done marks those of the caller alone, and with filters those that match', async () => {
  const { owner, ada, project } = await cast()
  for (const title of ['one', 'two']) await forge.issue(project, owner, { title, assignee_ids: [ada.id, owner.id] })
  await give(ada, await forge.issue(project, owner, { title: 'three' }), owner, 'marked')

  const some = await forge.as(ada).post('/todos/mark_as_done', { action: 'marked' })
  const left = titles(await list(ada))
  const all = await forge.as(ada).post('/todos/mark_as_done')

  expect([some.status, some.text, left]).toEqual([204, '', ['two', 'one']])
  expect([all.status, await list(ada), titles(await list(owner))]).toEqual([204, [], ['two', 'one']])
  expect((await forge.as(ada).post('/todos/mark_as_done', { project_id: 999_999 })).status).toBe(404)
})

test('an issue can be put among the todos once, by whoever can see it', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner)
  const secret = await forge.issue(project, owner, { confidential: true })
  const guest = await forge.user()
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  const path = (one: Issue) => `/projects/${project.id}/issues/${one.iid}/todo`

  const at = await Promise.all([1, 2, 3].map(() => forge.as(ada).post(path(issue))))
  const hidden = await forge.as(guest).post(path(secret))

  expect(at.map(({ status }) => status).sort()).toEqual([201, 304, 304])
  const made = at.find(({ status }) => status === 201)?.body
  expect([made.action_name, made.author.username, made.state]).toEqual(['marked', ada.username, 'pending'])
  expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Issue Not Found' }])
  expect(await list(ada)).toHaveLength(1)
})

test('a todo that was done by mistake comes back, unless there is a newer one for the same issue', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const [todo] = await list(ada)
  const id = Number(todo?.id)
  await forge.as(ada).post('/todos/mark_as_done')
  const restored = await restoreTodo(forge.app, ada, id)
  await forge.as(ada).post('/todos/mark_as_done')
  await forge.as(ada).post(`/projects/${project.id}/issues/${issue.iid}/todo`)
  const kept = await restoreTodo(forge.app, ada, id)
  expect([restored.state, kept.state, (await list(ada)).length]).toEqual(['pending', 'done', 1])
})

test('a todo is hidden as long as its user cannot see the issue, and is there again when they can', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner, { title: 'Seen' })
  await give(ada, issue, owner, 'mentioned')
  const [todo] = await list(ada)
  const root = forge.as(forge.root)
  const level = (access_level: number) => root.put(`/projects/${project.id}/members/${ada.id}`, { access_level })
  const look = async () => [
    (await list(ada)).length,
    (await forge.as(ada).post(`/todos/${todo?.id}/mark_as_done`)).status,
    (await forge.as(ada).get('/todos')).headers['x-total'],
  ]
  const restore = () => forge.app.db.updateTable('todos').set({ state: 'pending' }).where('id', '=', Number(todo?.id)).execute()

  const seen: Record<string, unknown> = {}
  await forge.app.db.updateTable('issues').set({ confidential: true }).where('id', '=', issue.id).execute()
  seen['confidential, as reporter'] = await look()
  await restore()
  await level(10)
  seen['confidential, as guest'] = await look()
  await forge.app.db.updateTable('issues').set({ confidential: false }).where('id', '=', issue.id).execute()
  seen['as guest'] = await look()
  await restore()
  await root.put(`/projects/${project.id}`, { issues_access_level: 'disabled' })
  seen['without issues'] = await look()
  await root.put(`/projects/${project.id}`, { issues_access_level: 'enabled' })
  await root.delete(`/projects/${project.id}/members/${ada.id}`)
  seen['not a member'] = await look()
  await root.post(`/projects/${project.id}/members`, { user_id: ada.id, access_level: 10 })
  seen['a member again'] = await look()

  expect(seen).toEqual({
    'confidential, as reporter': [1, 201, '0'],
    'confidential, as guest': [0, 404, '0'],
    'as guest': [1, 201, '0'],
    'without issues': [0, 404, '0'],
    'not a member': [0, 404, '0'],
    'a member again': [1, 201, '0'],
  })
})

test('no search, count or filter tells of a confidential issue to who cannot see it', async () => {
  const { owner, ada, group, project } = await cast()
  const guest = await forge.user()
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  const word = `zebra${project.id}`
  const label = (await forge.as(owner).post(`/projects/${project.id}/labels`, { name: word, color: '#112233' })).body
  await forge.issue(project, owner, { title: word, description: word, confidential: true, assignee_ids: [], label_ids: [label.id] })
  const found = async (user: TestUser) => {
    const totals = []
    for (const path of [
      `/issues?scope=all&search=${word}`,
      `/groups/${group.id}/issues?search=${word}`,
      `/projects/${project.id}/issues?search=${word}`,
      `/projects/${project.id}/issues?labels=${word}`,
    ])
      totals.push(Number((await forge.as(user).get(path)).headers['x-total']))
    const { body } = await forge.as(user).get(`/projects/${project.id}/labels/${label.id}`)
    return [...totals, body.open_issues_count]
  }
  expect([await found(ada), await found(guest)]).toEqual([
    [1, 1, 1, 1, 1],
    [0, 0, 0, 0, 0],
  ])
})

test('a todo about an internal note is hidden from who is no reporter any more, and goes with the note', async () => {
  const { owner, ada, project } = await cast()
  const issue = await forge.issue(project, owner)
  const note = await forge.note(project, issue, owner, { body: 'Secret', internal: true })
  await give(ada, issue, owner, 'mentioned', note.id)
  const before = (await list(ada)).length
  const root = forge.as(forge.root)
  await root.put(`/projects/${project.id}/members/${ada.id}`, { access_level: 10 })
  const asGuest = (await list(ada)).length
  await root.put(`/projects/${project.id}/members/${ada.id}`, { access_level: 20 })
  await forge.app.db.deleteFrom('notes').where('id', '=', note.id).execute()
  expect([before, asGuest, (await list(ada)).length]).toEqual([1, 0, 0])
})

test('hidden todos that were marked with all others stay done when access comes back', async () => {
  const { owner, ada, project } = await cast()
  await forge.issue(project, owner, { assignee_ids: [ada.id] })
  const root = forge.as(forge.root)
  await root.delete(`/projects/${project.id}/members/${ada.id}`)
  await forge.as(ada).post('/todos/mark_as_done')
  await root.post(`/projects/${project.id}/members`, { user_id: ada.id, access_level: 20 })
  expect([(await list(ada)).length, (await list(ada, '?state=done')).length]).toEqual([0, 1])
})

test('a todo on a merge request shows its changes, and whether the user gets news of it', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, commits: [{ files: { 'README.md': 'Hello\n' } }] })
  const client = forge.as(owner)
  const actions = [{ action: 'create', file_path: 'topic.txt', content: 'proposed\n' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Propose', actions }
  await client.post(`/projects/${project.id}/repository/commits`, commit)
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic', assignee_ids: [owner.id] })
  await client.post(`/projects/${project.id}/merge_requests/${iid}/todo`)
  const { changes_count, diff_refs, merge_error } = (await client.get(`/projects/${project.id}/merge_requests/${iid}`)).body

  const [todo] = await list(owner, '?type=MergeRequest')

  expect([changes_count, diff_refs.head_sha.length]).toEqual(['1', 40])
  expect(todo?.target).toMatchObject({ subscribed: true, changes_count, diff_refs, merge_error })
})

test('a list of todos costs the same, however long it is', async () => {
  const { owner, ada, project } = await cast()
  const add = async () => give(ada, await forge.issue(project, owner, { milestone_id: null }), owner, 'mentioned')
  const cost = () => forge.cost(() => forge.as(ada).get('/todos?per_page=100'))
  await add()
  // The first request of a day notes that the user was there.
  await list(ada)
  const short = await cost()
  for (let index = 0; index < 6; index += 1) await add()
  expect([(await list(ada)).length, await cost()]).toEqual([7, short])
  expect(short.statements).toBeLessThanOrEqual(engine === 'postgres' ? 17 : 15)
})

test('anonymous callers are told to sign in', async () => {
  for (const [method, path] of [
    ['GET', '/todos'],
    ['POST', '/todos/mark_as_done'],
    ['POST', '/todos/1/mark_as_done'],
  ] as const)
    expect([path, (await forge.anonymous.request(method, path)).status]).toEqual([path, 401])
})

test('the todos of a project are gone with it', async () => {
  const { owner, ada, project } = await cast()
  await forge.issue(project as TestProject, owner, { assignee_ids: [ada.id] })
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  expect(await list(ada)).toEqual([])
})
