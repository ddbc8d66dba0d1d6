/** The events of the API: what leaves one, who is shown which, filters, dates and cost (spec 2.16, 4.20, 6). */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import type { NoteableRow } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { findNoteable } from '../../noteable-kinds.ts'
import { closeIssueIn, removeIssueIn, reopenIssueIn } from '../../planning/issues/issues.ts'
import { insertNote } from '../notes/notes.queries.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

async function comment(project: TestProject, issue_id: number, author: TestUser, more: { internal?: boolean } = {}) {
  return inTransaction(forge.app.db, async (tx) => {
    const at = new Date().toISOString()
    const base = { project_id: project.id, author_id: author.id, issue_id, created_at: at, updated_at: at }
    const note = await insertNote(tx, { ...base, discussion_id: `d${at}${issue_id}`, body: 'What an *awesome* day', ...more })
    const noteable = (await findNoteable(tx, note)) as NoteableRow
    await publish(tx, { type: 'note_created', note, noteable, actor_id: author.id, at })
    return note
  })
}

const ofProject = async (user: TestUser, project: { id: number }, query = '') =>
  (await forge.as(user).get(`/projects/${project.id}/events?${query}`)).body as Array<Record<string, unknown>>

test('a project, its issues, their notes and who joins it leave events with all of their fields', async () => {
  const [owner, guest] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, files: null })
  const issue = await forge.issue(project, owner, { title: 'Broken' })
  await inTransaction(forge.app.db, async (tx) => {
    const closed = await closeIssueIn(tx, owner.id, issue, null)
    await reopenIssueIn(tx, owner.id, closed)
  })
  const note = await comment(project, issue.id, owner)
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  await forge.as(guest).delete(`/projects/${project.id}/members/${guest.id}`)

  const events = await ofProject(owner, project, 'sort=asc')

  expect(events.map(({ action_name, target_type, author_username }) => [action_name, target_type, author_username])).toEqual([
    ['created', null, owner.username],
    ['opened', 'Issue', owner.username],
    ['closed', 'Issue', owner.username],
    ['opened', 'Issue', owner.username],
    ['commented on', 'Note', owner.username],
    ['joined', null, guest.username],
    ['left', null, guest.username],
  ])
  expect(events[1]).toMatchObject({
    title: null,
    data: null,
    project_id: project.id,
    target_id: issue.id,
    target_iid: issue.iid,
    target_title: 'Broken',
    author_id: owner.id,
    author: { id: owner.id, username: owner.username, state: 'active' },
  })
  expect(events[4]).toMatchObject({
    target_id: note.id,
    target_iid: note.id,
    target_title: 'Broken',
    note: {
      id: note.id,
      body: 'What an *awesome* day',
      noteable_type: 'Issue',
      noteable_id: issue.id,
      noteable_iid: issue.iid,
      system: false,
    },
  })
  expect(events[0]).not.toHaveProperty('note')
})

test('pushes say what was pushed, and comments on commits carry the comment', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, commits: [{ message: 'First', files: { a: '1' } }] })
  await forge.as(owner).post(`/projects/${project.id}/repository/branches?branch=topic&ref=main`)
  await forge.as(owner).delete(`/projects/${project.id}/repository/branches/topic`)
  await forge.as(owner).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Good' })
  await forge.drain()

  const own = await forge.as(owner).get('/events')
  const pushes = (await forge.as(owner).get('/events?action=pushed')).body

  const [commented] = own.body
  expect(commented).toMatchObject({
    action_name: 'commented on',
    target_type: 'Note',
    note: { body: 'Good', noteable_type: 'Commit', noteable_id: null, noteable_iid: null },
  })
  expect(commented.note.commit_id).toMatch(/^[0-9a-f]{40}$/)
  const said = pushes.map(({ action_name, target_id, push_data }: Record<string, unknown>) => [action_name, target_id, push_data])
  expect(said.slice(0, 2)).toMatchObject([
    ['deleted', null, { action: 'removed', ref_type: 'branch', ref: 'topic', commit_to: null }],
    ['pushed new', null, { action: 'created', ref_type: 'branch', ref: 'topic', commit_from: null, commit_title: 'First' }],
  ])
})

test('events of a confidential issue and its notes are shown to those who see it, and counted for them alone', async () => {
  const [owner, reporter, guest, author] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  const issue = await forge.issue(project, author, { confidential: true, title: 'Hole' })
  await comment(project, issue.id, author)
  const plain = await forge.issue(project, owner)
  await comment(project, plain.id, reporter, { internal: true })
  const seen = async (user: TestUser | null) => {
    const client = user ? forge.as(user) : forge.anonymous
    const all = await client.get(`/projects/${project.id}/events?action=commented`)
    const byAuthor = await client.get(`/users/${author.username}/events`)
    return [all.headers['x-total'], all.body.length, byAuthor.headers['x-total'], byAuthor.body.length]
  }
  expect(await seen(owner)).toEqual(['2', 2, '2', 2])
  expect(await seen(reporter)).toEqual(['2', 2, '2', 2])
  expect(await seen(forge.root)).toEqual(['2', 2, '2', 2])
  expect(await seen(author)).toEqual(['1', 1, '2', 2])
  expect(await seen(guest)).toEqual(['0', 0, '0', 0])
  expect(await seen(await forge.user())).toEqual(['0', 0, '0', 0])
  expect(await seen(null)).toEqual(['0', 0, '0', 0])
})

test('who has lost access sees no events any more, not even their own', async () => {
  const [owner, member] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: member, files: null })
  await forge.issue(project, member)
  const own = async () => (await forge.as(member).get('/events?target_type=issue')).body.length
  expect(await own()).toBe(1)
  await forge.as(owner).put(`/projects/${project.id}`, { issues_access_level: 'disabled' })
  expect([await own(), (await ofProject(owner, project, 'target_type=issue')).length]).toEqual([0, 0])
  await forge.as(owner).put(`/projects/${project.id}`, { issues_access_level: 'enabled' })
  expect(await own()).toBe(1)
  await forge.as(owner).delete(`/projects/${project.id}/members/${member.id}`)
  expect(await own()).toBe(0)
  expect((await forge.as(member).get(`/projects/${project.id}/events`)).status).toBe(404)
})

test('an issue that is deleted takes its events with it, and a group milestone leaves none', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const issue = await forge.issue(project, owner)
  await comment(project, issue.id, owner)
  await inTransaction(forge.app.db, (tx) => removeIssueIn(tx, owner.id, issue.id))
  expect((await ofProject(owner, project)).map(({ action_name }) => action_name)).toEqual(['created'])
})

test('before and after leave out the day itself, and what is no day is refused', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  await forge.app.db.deleteFrom('events').where('project_id', '=', project.id).execute()
  const days = ['2018-02-27T23:59:59.999Z', '2018-02-28T00:00:00.000Z', '2018-02-28T23:59:59.999Z', '2018-03-01T00:00:00.000Z']
  const base = { project_id: project.id, author_id: owner.id, action: 'joined' as const }
  await forge.app.db
    .insertInto('events')
    .values(days.map((created_at) => ({ ...base, created_at })))
    .execute()
  const found = async (query: string) => (await ofProject(owner, project, query)).map(({ created_at }) => created_at)
  expect(await found('before=2018-02-28')).toEqual([days[0]])
  expect(await found('after=2018-02-28')).toEqual([days[3]])
  expect(await found('after=2018-2-27&before=2018-3-1&sort=asc')).toEqual([days[1], days[2]])
  for (const bad of ['2018-13-40', '2018-02-30', 'yesterday', '', '20180228', '2018-02']) {
    const refused = await forge.as(owner).get(`/projects/${project.id}/events?before=${bad}`)
    expect([refused.status, refused.body]).toEqual([400, { error: 'before is invalid' }])
  }
})

test('an unknown action, type or order is refused, and types of features to come have no events', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  for (const name of ['action', 'target_type', 'sort']) {
    const refused = await forge.as(owner).get(`/projects/${project.id}/events?${name}=flown`)
    expect([refused.status, refused.body]).toEqual([400, { error: `${name} does not have a valid value` }])
  }
  for (const query of ['action=merged', 'action=updated', 'target_type=merge_request', 'target_type=snippet', 'target_type=user'])
    expect(await ofProject(owner, project, query)).toEqual([])
})

test('a token for users reads the events of users; a private profile shows none', async () => {
  const [owner, other] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, visibility: 'public', files: null })
  await forge.issue(project, owner)
  const reading = forge.as(other, { token: await forge.token(other, { scopes: ['read_user'] }) })
  expect((await reading.get('/events')).status).toBe(200)
  expect((await reading.get(`/users/${owner.id}/events`)).body.length).toBe(2)
  expect((await reading.get(`/projects/${project.id}/events`)).status).toBe(403)
  await forge.as(forge.root).put(`/users/${owner.id}`, { private_profile: true })
  expect((await reading.get(`/users/${owner.id}/events`)).body).toEqual([])
  expect((await forge.as(owner).get(`/users/${owner.id}/events`)).body.length).toBe(2)
  expect((await forge.as(forge.root).get(`/users/${owner.id}/events`)).body.length).toBe(2)
  const missing = await reading.get('/users/nobody-at-all/events')
  expect([missing.status, missing.body]).toEqual([404, { message: '404 User Not Found' }])
  expect((await forge.anonymous.get('/events')).status).toBe(401)
})

test('events older than a year are removed by a job, in whole', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const base = { project_id: project.id, author_id: owner.id, action: 'joined' as const }
  const old = Array.from({ length: 1_200 }, (_, index) => ({ ...base, created_at: ago(367 + index) }))
  for (const rows of [old.slice(0, 600), old.slice(600), [{ ...base, created_at: ago(365) }]])
    await forge.app.db.insertInto('events').values(rows).execute()
  const { pruneEventsJob } = await import('./activity.jobs.ts')
  await pruneEventsJob.handle(forge.app, {} as never)
  expect((await ofProject(owner, project)).map(({ action_name }) => action_name)).toEqual(['created', 'joined'])
})

test('a project is active when an issue is written, but its row is written once an hour', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const at = async () => (await forge.as(owner).get(`/projects/${project.id}`)).body.last_activity_at
  const before = await at()
  await forge.issue(project, owner)
  expect(await at()).toBe(before)
  await forge.app.db.updateTable('projects').set({ last_activity_at: '2020-01-01T00:00:00.000Z' }).where('id', '=', project.id).execute()
  await forge.issue(project, owner)
  expect((await at()) > before).toBe(true)
})

test('a list costs three statements besides finding the project, however long it is', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const path = `/projects/${project.id}/events?per_page=100`
  const cost = () => forge.cost(() => forge.as(owner).get(path))
  await cost()
  const short = await cost()
  const issue = await forge.issue(project, owner)
  for (let count = 0; count < 30; count += 1) await comment(project, issue.id, owner)
  expect(await cost()).toEqual(short)
})
