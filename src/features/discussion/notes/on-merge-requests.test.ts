/** Merge requests have the discussions that issues have: notes, award emoji, events of changes, todos. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject
let branch = 0

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user()])
  const topics = Array.from({ length: 30 }, (_, index) => ({ message: 'Topic', files: { a: `${index}` }, branch: `topic${index}` }))
  project = await forge.project({ owner, guest, visibility: 'public', commits: [{ message: 'First', files: { a: 'one\n' } }, ...topics] })
})

const made = (fields = {}) => forge.mergeRequest(project, owner, { source_branch: `topic${branch++}`, ...fields })
const at = (iid: number, rest = '') => `/projects/${project.id}/merge_requests/${iid}${rest}`

test('a merge request is discussed in notes and discussions, counted on it', async () => {
  const { id, iid } = await made()
  const note = await forge.as(guest).post(at(iid, '/notes'), { body: 'One note' })
  expect([note.status, note.body.noteable_type, note.body.noteable_id, note.body.noteable_iid]).toEqual([201, 'MergeRequest', id, iid])
  const opened = await forge.as(guest).post(at(iid, '/discussions'), { body: 'A question' })
  await forge.as(owner).post(at(iid, `/discussions/${opened.body.id}/notes`), { body: 'An answer' })
  const discussions = (await forge.as(owner).get(at(iid, '/discussions'))).body
  expect(discussions.map((one: { notes: unknown[] }) => one.notes.length)).toEqual([1, 2])
  expect(discussions[1].notes[0]).toMatchObject({ resolvable: true, resolved: false, resolved_by: null })
  const edited = await forge.as(guest).put(at(iid, `/notes/${note.body.id}`), { body: 'Another text' })
  const foreign = await forge.as(stranger).put(at(iid, `/notes/${note.body.id}`), { body: 'Mine' })
  expect([edited.status, edited.body.body, foreign.status]).toEqual([200, 'Another text', 403])
  const count = () => forge.app.db.selectFrom('merge_requests').select('user_notes_count').where('id', '=', id).executeTakeFirst()
  expect(await count()).toEqual({ user_notes_count: 3 })
  expect((await forge.as(guest).delete(at(iid, `/notes/${note.body.id}`))).status).toBe(204)
  expect(await count()).toEqual({ user_notes_count: 2 })
  expect((await forge.as(guest).get(at(iid, `/notes/${note.body.id}`))).body).toEqual({ message: '404 Note Not Found' })
})

test('an issue and a merge request of the same number have notes of their own', async () => {
  const { iid } = await made()
  const other = await forge.issue(project, owner, { iid: iid + 1000 })
  await forge.as(owner).post(at(iid, '/notes'), { body: 'Here' })
  await forge.as(owner).post(`/projects/${project.id}/issues/${other.iid}/notes`, { body: 'There' })
  const bodies = (await forge.as(owner).get(at(iid, '/notes?activity_filter=only_comments'))).body.map((one: { body: string }) => one.body)
  expect(bodies).toEqual(['Here'])
})

test('emoji are awarded to a merge request and to notes on it, also by a note that is nothing but one', async () => {
  const { id, iid } = await made()
  const award = await forge.as(guest).post(at(iid, '/award_emoji'), { name: 'thumbsup' })
  expect([award.status, award.body.awardable_type, award.body.awardable_id]).toEqual([201, 'MergeRequest', id])
  const twice = await forge.as(guest).post(at(iid, '/award_emoji'), { name: 'thumbsup' })
  expect(twice.status).toBe(404)
  const byNote = await forge.as(owner).post(at(iid, '/notes'), { body: ':thumbsdown:' })
  expect([byNote.status, byNote.body.name]).toEqual([201, 'thumbsdown'])
  const votes = forge.app.db.selectFrom('merge_requests').select(['upvotes', 'downvotes', 'user_notes_count']).where('id', '=', id)
  expect(await votes.executeTakeFirst()).toEqual({ upvotes: 1, downvotes: 1, user_notes_count: 0 })
  const note = await forge.as(owner).post(at(iid, '/notes'), { body: 'A text' })
  await forge.as(guest).post(at(iid, `/notes/${note.body.id}/award_emoji`), { name: 'tada' })
  expect((await forge.as(owner).get(at(iid, `/notes/${note.body.id}/award_emoji`))).body).toHaveLength(1)
  await forge.as(guest).delete(at(iid, `/award_emoji/${award.body.id}`))
  expect(await votes.executeTakeFirst()).toMatchObject({ upvotes: 0 })
})

test('todos: assigned, to review, mentioned, marked; acting there completes them', async () => {
  const author = await forge.user()
  const { id, iid } = await forge.mergeRequest(project, author, {
    source_branch: `topic${branch++}`,
    assignee_ids: [owner.id],
    reviewer_ids: [guest.id],
    description: `@${stranger.username} please look`,
  })
  const todosOf = async (user: TestUser) =>
    (await forge.as(user).get('/todos?type=MergeRequest')).body
      .filter((todo: { target: { id: number } }) => todo.target.id === id)
      .map((todo: { action_name: string; target_type: string }) => `${todo.action_name} ${todo.target_type}`)
  expect(await Promise.all([owner, guest, stranger].map(todosOf))).toEqual([
    ['assigned MergeRequest'],
    ['review_requested MergeRequest'],
    ['directly_addressed MergeRequest'],
  ])
  expect((await forge.as(owner).get('/todos?type=Issue')).body).toEqual([])
  const marked = await forge.as(author).post(at(iid, '/todo'))
  expect([marked.status, marked.body.action_name, marked.body.target.iid]).toEqual([201, 'marked', iid])
  expect((await forge.as(author).post(at(iid, '/todo'))).status).toBe(304)
  await forge.as(guest).post(at(iid, '/notes'), { body: 'Looked' })
  expect(await todosOf(guest)).toEqual([])
})

test('a user who loses access to the code loses the todos, too', async () => {
  const { id, iid } = await made()
  await forge.as(stranger).post(at(iid, '/todo'))
  const seen = async () => (await forge.as(stranger).get('/todos')).body.map((todo: { target: { id: number } }) => todo.target.id)
  expect(await seen()).toContain(id)
  await forge.app.db.updateTable('projects').set({ repository_access_level: 'private' }).where('id', '=', project.id).execute()
  expect(await seen()).not.toContain(id)
  await forge.app.db.updateTable('projects').set({ repository_access_level: 'enabled' }).where('id', '=', project.id).execute()
})

test('quick actions in a note change the merge request', async () => {
  const { iid } = await made({ title: 'Draft: it' })
  await forge.as(owner).post(`/projects/${project.id}/labels`, { name: 'bug', color: 'red' })
  const reply = await forge
    .as(owner)
    .post(at(iid, '/notes'), { body: `Fine\n/label ~bug\n/due tomorrow\n/assign @${owner.username}\n/close` })
  expect([reply.status, reply.body.body, Object.keys(reply.body.commands_changes).sort()]).toEqual([
    201,
    'Fine',
    ['add_label_ids', 'assignee_ids', 'state_event'],
  ])
  const events = (await forge.as(owner).get(at(iid, '/resource_label_events'))).body
  expect(events).toMatchObject([{ action: 'add', resource_type: 'MergeRequest', label: { name: 'bug' } }])
  expect((await forge.as(owner).get(at(iid, '/resource_state_events'))).body).toMatchObject([{ state: 'closed' }])
})

test('nobody sees notes where merge requests are off or the code is hidden', async () => {
  const hidden = await forge.project({
    owner,
    guest,
    commits: [
      { message: 'A', files: { a: '1' } },
      { message: 'B', files: { a: '2' }, branch: 'topic' },
    ],
  })
  const { iid } = await forge.mergeRequest(hidden, owner, { source_branch: 'topic' })
  const statuses = await Promise.all(
    ['/notes', '/discussions', '/award_emoji', '/resource_label_events'].map(
      async (rest) => (await forge.as(guest).get(`/projects/${hidden.id}/merge_requests/${iid}${rest}`)).status,
    ),
  )
  expect(statuses).toEqual([404, 404, 404, 404])
  expect((await forge.as(guest).post(`/projects/${hidden.id}/merge_requests/${iid}/notes`, { body: 'x' })).body).toEqual({
    message: '404 Merge Request Not Found',
  })
})

test('quick actions of merge requests: drafts, target branches, reviewers, approvals; one by one who may not is refused', async () => {
  await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'stable', ref: 'main' })
  const { iid, id } = await made({ title: 'It' })
  const act = async (user: TestUser, body: string) => (await forge.as(user).post(at(iid, '/notes'), { body })).body
  const commands = `/wip\n/target_branch stable\n/target_branch nowhere\n/assign_reviewer @${guest.username}\n/approve`
  const done = await act(owner, commands)
  expect(done.summary).toEqual([
    'Marked this merge request as Work In Progress.',
    'Set target branch to stable.',
    `Assigned @${guest.username} as reviewer.`,
    'Approved the current merge request.',
    'Could not apply target_branch command.',
  ])
  const row = await forge.app.db
    .selectFrom('merge_requests')
    .select(['title', 'draft', 'target_branch'])
    .where('id', '=', id)
    .executeTakeFirst()
  expect(row).toMatchObject({ draft: true, target_branch: 'stable' })
  const refused = await act(guest, 'Text\n/approve\n/wip\n/target_branch main\n/merge')
  expect(refused.commands_changes).toEqual({})
  const bodies = (await forge.as(owner).get(at(iid, '/notes?activity_filter=only_activity&sort=asc'))).body.map(
    (note: { body: string }) => note.body,
  )
  expect(bodies).toEqual([
    'marked as a **Work In Progress**',
    'changed target branch from `main` to `stable`',
    `requested review from @${guest.username}`,
    'approved this merge request',
  ])
  expect((await act(owner, '/unapprove\n/ready')).summary).toHaveLength(2)
})

test('what names a merge request is told on it, and it tells what it names, to those who see both', async () => {
  const { iid, title } = await made()
  const issue = await forge.issue(project, owner, { description: `See !${iid}` })
  const other = await made({ description: `For #${issue.iid} and !${iid}` })
  const told = async (path: string, user = owner) =>
    (await forge.as(user).get(`/projects/${project.id}/${path}/notes?activity_filter=only_activity&sort=asc`)).body.map(
      (note: { body: string }) => note.body,
    )
  expect(await told(`merge_requests/${iid}`)).toEqual([`mentioned in issue #${issue.iid}`, `mentioned in merge request !${other.iid}`])
  expect(await told(`issues/${issue.iid}`)).toEqual([`mentioned in merge request !${other.iid}`])
  const { body } = await forge.as(owner).post('/markdown', { text: `!${iid}`, gfm: true, project: project.full_path })
  expect(body.html).toContain(`title="${title}" class="gfm gfm-merge_request">!${iid}</a>`)
  await forge.app.db.updateTable('projects').set({ merge_requests_access_level: 'private' }).where('id', '=', project.id).execute()
  expect(await told(`issues/${issue.iid}`, stranger)).toEqual([])
  const hidden = await forge.as(stranger).post('/markdown', { text: `!${iid}`, gfm: true, project: project.full_path })
  expect(hidden.body.html).not.toContain(title)
  await forge.app.db.updateTable('projects').set({ merge_requests_access_level: 'enabled' }).where('id', '=', project.id).execute()
})

test('merging is activity, a note and an event of its state; a push tells its commits', async () => {
  const { iid } = await made({ source_branch: 'pushed', title: 'It' }).catch(async () => {
    await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'pushed', ref: 'topic19' })
    return made({ source_branch: 'pushed', title: 'It' })
  })
  await forge.drain()
  const actions = [{ action: 'create', file_path: 'new.txt', content: 'x' }]
  await forge
    .as(owner)
    .post(`/projects/${project.id}/repository/commits`, { branch: 'pushed', commit_message: 'Add <new> _file_', actions })
  await forge.drain()
  const notes = (await forge.as(owner).get(at(iid, '/notes?activity_filter=only_activity'))).body
  expect(notes[0].body).toMatch(
    /^added 1 commit\n\n<ul><li>[0-9a-f]{8} - Add &#60;new&#62; &#95;file&#95;<\/li><\/ul>\n\n\[Compare with previous version\]/,
  )
  const events = (await forge.as(owner).get(`/projects/${project.id}/events?target_type=merge_request`)).body
  expect(
    events.some((event: { target_iid: number; action_name: string }) => event.target_iid === iid && event.action_name === 'opened'),
  ).toBe(true)
})

test.each([false, true])('a deleted user leaves merge requests to the Ghost User, or takes them along (hard_delete: %s)', async (hard) => {
  const author = await forge.user()
  const voted = await made()
  const { id } = await forge.mergeRequest(project, author, { source_branch: `topic${branch++}` })
  await forge.as(author).post(at(voted.iid, '/award_emoji'), { name: 'thumbsup' })
  await forge.as(author).post(at(voted.iid, '/notes'), { body: 'A text' })
  expect((await forge.as(forge.root).delete(`/users/${author.id}?hard_delete=${hard}`)).status).toBe(204)
  await forge.drain()
  const rows = forge.app.db.selectFrom('merge_requests').select(['author_id', 'upvotes', 'user_notes_count'])
  const own = await rows.where('id', '=', id).executeTakeFirst()
  expect(own ? own.author_id !== author.id : null).toBe(hard ? null : true)
  const counts = hard ? { upvotes: 0, user_notes_count: 0 } : { upvotes: 1, user_notes_count: 1 }
  expect(await rows.where('id', '=', voted.id).executeTakeFirst()).toMatchObject(counts)
})
