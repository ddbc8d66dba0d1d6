/** Creating, editing and deleting issues: who may set what, and what is refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../../test/support/client.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject
let at: string

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user()])
  project = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  at = `/projects/${project.id}/issues`
})

const titled = (title: string) => forge.as(owner).post(`/projects/${project.id}/milestones`, { title })

describe('an issue', () => {
  test('is created with everything that a reporter may set, and shown so', async () => {
    const { body: milestone } = await titled('One')
    const created = await forge.as(reporter).post(at, {
      title: ' New issue ',
      description: 'It is broken',
      labels: 'label, label2,label?,label&foo',
      assignee_ids: [guest.id, owner.id],
      milestone_id: milestone.id,
      due_date: '2031-02-03',
      confidential: 'y',
      discussion_locked: true,
    })
    expect([created.status, created.body]).toMatchObject([
      201,
      {
        title: 'New issue',
        description: 'It is broken',
        labels: ['label', 'label&foo', 'label2', 'label?'],
        assignee: { id: guest.id },
        assignees: [{ id: guest.id }],
        author: { id: reporter.id },
        milestone: { id: milestone.id },
        due_date: '2031-02-03',
        confidential: true,
        discussion_locked: true,
        state: 'opened',
        subscribed: true,
      },
    ])
    expect((await forge.as(reporter).get(`${at}/${created.body.iid}`)).body).toEqual(created.body)
  })

  test('of somebody who may not plan has title, description and confidentiality; the rest is ignored', async () => {
    const { body: milestone } = await titled('Ignored')
    const sent = {
      title: 'By a stranger',
      description: 'x',
      confidential: true,
      labels: 'not-created',
      assignee_ids: [owner.id],
      milestone_id: milestone.id,
      due_date: '2031-01-01',
      discussion_locked: true,
      created_at: '2001-01-01T00:00:00Z',
      iid: 9001,
    }
    const created = await forge.as(stranger).post(at, sent)
    expect([created.status, created.body]).toMatchObject([
      201,
      { title: 'By a stranger', confidential: true, labels: [], assignees: [], milestone: null, due_date: null, discussion_locked: null },
    ])
    expect(created.body.iid).toBeLessThan(9001)
    expect(created.body.created_at > '2020').toBe(true)
    expect((await forge.as(owner).get(`/projects/${project.id}/labels?search=not-created`)).body).toEqual([])
  })

  test('gets number and date of creation from owners and administrators alone, and the next number is higher', async () => {
    const own = await forge.project({ owner, reporter, files: null })
    const there = `/projects/${own.id}/issues`
    const dated = await forge.as(owner).post(there, { title: 'Old', created_at: '2001-02-03T04:05:06Z', iid: 41 })
    expect(dated.body).toMatchObject({ iid: 41, created_at: '2001-02-03T04:05:06.000Z' })
    const byAdministrator = await forge.as(forge.root).post(there, { title: 'Old', created_at: '2002-02-03' })
    expect(byAdministrator.body).toMatchObject({ iid: 42, created_at: '2002-02-03T00:00:00.000Z' })
    const taken = await forge.as(owner).post(there, { title: 'Taken', iid: 41 })
    expect([taken.status, taken.body]).toEqual([400, { message: { iid: ['has already been taken'] } }])
    expect((await forge.as(reporter).post(there, { title: 'Next', iid: 41 })).body.iid).toBe(43)
  })

  test('has the next number, without gaps or repeats, however many are created at once', async () => {
    const own = await forge.project({ owner, reporter, files: null })
    const there = `/projects/${own.id}/issues`
    const create = async (index: number): Promise<Answer> => {
      const answer = await forge.as(reporter).post(there, { title: index % 10 === 9 ? ' ' : `Issue ${index}` })
      // Too many for the connections of a slow machine.
      return answer.status === 503 ? create(index) : answer
    }
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => create(index)))
    const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.iid)
    expect(created.sort((one, other) => one - other)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1))
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10)
  })

  test('with an invalid field is refused with the reason, and nothing is created', async () => {
    const before = (await forge.as(owner).get(`${at}?per_page=1`)).headers['x-total']
    const refusals: Array<[Record<string, unknown>, unknown]> = [
      [{ labels: 'a' }, { error: 'title is missing' }],
      [{ title: ' ' }, { message: { title: ["can't be blank"] } }],
      [{ title: 'g'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
      [{ title: 'x', description: 'd'.repeat(1_048_577) }, { message: { description: ['is too long (maximum is 1048576 characters)'] } }],
      [{ title: 'x', confidential: 'foo' }, { error: 'confidential is invalid' }],
      [{ title: 'x', due_date: '2018-13-40' }, { error: 'due_date is invalid' }],
      [{ title: 'x', created_at: 'yesterday' }, { error: 'created_at is invalid' }],
      [{ title: 'x', assignee_ids: ['me'] }, { error: 'assignee_ids[0] is invalid' }],
      [{ title: 'x', milestone_id: 'one' }, { error: 'milestone_id is invalid' }],
      [{ title: 'x', labels: 'l'.repeat(256) }, { message: { labels: ['is too long (maximum is 255 characters)'] } }],
      [{ title: 'x', description: '/close\n'.repeat(101) }, { message: 'A text can have 100 quick actions at most' }],
    ]
    for (const [sent, body] of refusals) {
      const answer = await forge.as(owner).post(at, sent)
      expect([answer.status, answer.body]).toEqual([400, body])
    }
    expect((await forge.as(owner).get(`${at}?per_page=1`)).headers['x-total']).toBe(before)
  })

  test('may have a description of 1 MiB of any characters, and labels of 255 characters with quotes', async () => {
    const description = '\u{1F600}\n"'.repeat(262_144)
    const label = `"${'é'.repeat(253)}'`
    const created = await forge.as(owner).post(at, { title: 'Long', description, labels: [label] })
    expect([created.status, created.body.description.length, created.body.labels]).toEqual([201, 1_048_576, [label]])
  })

  test('takes only what its project has: milestones of others and assignees who cannot see it are ignored', async () => {
    const hidden = await forge.project({ owner, files: null })
    const { body: foreign } = await forge.as(owner).post(`/projects/${hidden.id}/milestones`, { title: 'Foreign' })
    const { body: milestone } = await titled('Kept')
    const { body: issue } = await forge.as(reporter).post(at, { title: 'x', milestone_id: milestone.id, assignee_ids: [reporter.id] })
    const one = `${at}/${issue.iid}`
    for (const change of [{ milestone_id: foreign.id }, { milestone_id: 4_000_000 }, { assignee_ids: [4_000_000] }]) {
      const answer = await forge.as(reporter).put(one, change)
      expect([answer.status, answer.body]).toMatchObject([200, { milestone: { id: milestone.id }, assignee: { id: reporter.id } }])
    }
    await forge.as(reporter).put(one, { confidential: true })
    expect((await forge.as(reporter).put(one, { assignee_ids: [guest.id] })).body.assignee.id).toBe(reporter.id)
    const private_ = await forge.as(owner).post(`/projects/${hidden.id}/issues`, { title: 'x', assignee_id: stranger.id })
    expect([private_.status, private_.body.assignees]).toEqual([201, []])
  })

  test('is created by everybody who can see the issues of a project that is not archived', async () => {
    const closed = await forge.project({ owner, guest, visibility: 'public', files: null })
    const there = `/projects/${closed.id}/issues`
    expect((await forge.anonymous.post(there, { title: 'x' })).status).toBe(401)
    await forge.as(owner).put(`/projects/${closed.id}`, { issues_access_level: 'private' })
    expect((await forge.as(stranger).post(there, { title: 'x' })).status).toBe(403)
    const { body: issue } = await forge.as(guest).post(there, { title: 'x' })
    await forge.as(owner).post(`/projects/${closed.id}/archive`)
    expect((await forge.as(owner).post(there, { title: 'x' })).status).toBe(403)
    for (const path of ['', '/time_estimate', '/move'])
      expect([path, (await forge.as(owner).post(`${there}/${issue.iid}${path}`, { duration: '1h', to_project_id: 1 })).status]).toEqual([
        path,
        path === '' ? 405 : 403,
      ])
    expect((await forge.as(owner).put(`${there}/${issue.iid}`, { title: 'y' })).status).toBe(403)
    expect((await forge.as(owner).delete(`${there}/${issue.iid}`)).status).toBe(403)
    const hidden = await forge.project({ owner, files: null })
    expect((await forge.as(stranger).post(`/projects/${hidden.id}/issues`, { title: 'x' })).status).toBe(404)
  })
})

describe('an edit', () => {
  test('changes what is sent alone, and empty values remove', async () => {
    const { body: milestone } = await titled('Edited')
    const all = { assignee_ids: [guest.id], milestone_id: milestone.id, due_date: '2031-01-02', labels: 'a,b', description: 'Text' }
    const { body: issue } = await forge.as(reporter).post(at, { title: 'Before', ...all })
    const one = `${at}/${issue.iid}`
    const edit = async (change: object) => (await forge.as(reporter).put(one, change)).body
    const kept = await edit({ title: 'After' })
    expect(kept).toMatchObject({ title: 'After', description: 'Text', labels: ['a', 'b'], due_date: '2031-01-02' })
    expect(kept.updated_at > issue.updated_at).toBe(true)
    expect((await edit({ add_labels: 'c', remove_labels: 'a,unknown' })).labels).toEqual(['b', 'c'])
    expect((await edit({ labels: 'd,b' })).labels).toEqual(['b', 'd'])
    expect((await edit({ labels: '' })).labels).toEqual([])
    expect(await edit({ assignee_ids: [0], milestone_id: 0, due_date: '', description: '' })).toMatchObject({
      assignees: [],
      assignee: null,
      milestone: null,
      due_date: null,
      description: '',
    })
    expect((await edit({ assignee_id: owner.id })).assignee.id).toBe(owner.id)
    expect((await edit({ assignee_ids: '' })).assignees).toEqual([])
    expect((await edit({ discussion_locked: true })).discussion_locked).toBe(true)
    expect((await forge.as(reporter).put(one, {})).status).toBe(400)
    expect((await forge.as(reporter).put(`${at}/4000`, { title: 'x' })).status).toBe(404)
    const untitled = await forge.as(owner).put(one, { title: null })
    expect([untitled.status, untitled.body]).toEqual([400, { message: { title: ["can't be blank"] } }])
  })

  test('closes and reopens; a locked issue stays closed, and doing it twice changes nothing', async () => {
    const { body: issue } = await forge.as(stranger).post(at, { title: 'State' })
    const edit = async (user: TestUser, change: object) => (await forge.as(user).put(`${at}/${issue.iid}`, change)).body
    const closed = await edit(stranger, { state_event: 'close' })
    expect(closed).toMatchObject({ state: 'closed', closed_at: expect.any(String), closed_by: { id: stranger.id } })
    expect(await edit(owner, { state_event: 'close' })).toEqual({ ...closed, subscribed: false })
    expect(await edit(stranger, { state_event: 'reopen' })).toMatchObject({ state: 'opened', closed_at: null, closed_by: null })
    await edit(owner, { state_event: 'close', discussion_locked: true })
    expect((await edit(owner, { state_event: 'reopen' })).state).toBe('closed')
    const wrong = await forge.as(owner).put(`${at}/${issue.iid}`, { state_event: 'destroy' })
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'state_event does not have a valid value' }])
  })

  test('is for reporters, the author and assignees; owners may date it', async () => {
    const { body: issue } = await forge.as(stranger).post(at, { title: 'Mine' })
    const one = `${at}/${issue.iid}`
    expect((await forge.as(stranger).put(one, { title: 'Still mine', labels: 'ignored' })).body).toMatchObject({
      title: 'Still mine',
      labels: [],
    })
    expect((await forge.as(guest).put(one, { title: 'Not mine' })).status).toBe(403)
    await forge.as(reporter).put(one, { assignee_ids: [guest.id] })
    expect((await forge.as(guest).put(one, { title: 'Assigned' })).status).toBe(200)
    const updated_at = '2021-01-01T00:00:00.000Z'
    expect((await forge.as(reporter).put(one, { title: 'Dated', updated_at })).body.updated_at > '2022').toBe(true)
    expect((await forge.as(owner).put(one, { title: 'By the owner', updated_at })).body.updated_at).toBe(updated_at)
  })

  test('of a confidential issue is for those who can see it', async () => {
    const { body: issue } = await forge.as(owner).post(at, { title: 'Secret', confidential: true })
    expect((await forge.as(guest).put(`${at}/${issue.iid}`, { title: 'x' })).status).toBe(404)
    expect((await forge.as(reporter).put(`${at}/${issue.iid}`, { confidential: false })).body.confidential).toBe(false)
  })
})

describe('deleting', () => {
  test('takes everything on an issue along, for owners alone, unless it was changed meanwhile', async () => {
    const { body: issue } = await forge.as(reporter).post(at, { title: 'Gone', labels: 'a', description: `@${guest.username}` })
    const one = `${at}/${issue.iid}`
    await forge.as(reporter).post(`${one}/add_spent_time`, { duration: '1h' })
    expect((await forge.as(stranger).delete(one)).status).toBe(403)
    expect((await forge.as(reporter).delete(one)).status).toBe(403)
    const before = { 'if-unmodified-since': new Date('2001-01-01').toUTCString() }
    expect((await forge.as(owner, { headers: before }).delete(one)).status).toBe(412)
    expect((await forge.as(owner).delete(one)).status).toBe(204)
    expect((await forge.as(owner).delete(one)).status).toBe(404)
    expect((await forge.as(owner).get(one)).status).toBe(404)
  })
})

test('administrators see which client created an issue', async () => {
  const { body: issue } = await forge.as(owner, { headers: { 'user-agent': 'curl/8' } }).post(at, { title: 'From where' })
  const path = `${at}/${issue.iid}/user_agent_detail`
  const seen = await forge.as(forge.root).get(path)
  expect([seen.status, seen.body]).toEqual([200, { user_agent: 'curl/8', ip_address: '127.0.0.1', akismet_submitted: false }])
  expect((await forge.as(owner).get(path)).status).toBe(403)
  const made = await forge.issue(project, owner)
  expect((await forge.as(forge.root).get(`${at}/${made.iid}/user_agent_detail`)).status).toBe(404)
})

test('participants are those who took part and can still see the issue; no merge request closes it yet', async () => {
  const { body: issue } = await forge.as(stranger).post(at, { title: 'Together' })
  await forge.as(owner).put(`${at}/${issue.iid}`, { assignee_ids: [guest.id] })
  const ids = async (path: string) => (await forge.as(owner).get(`${at}/${issue.iid}/${path}`)).body.map(({ id }: { id: number }) => id)
  expect(await ids('participants')).toEqual(expect.arrayContaining([guest.id, stranger.id]))
  await forge.as(owner).put(`${at}/${issue.iid}`, { confidential: true, assignee_ids: [] })
  expect(await ids('participants')).not.toContain(guest.id)
  expect(await ids('participants')).toContain(stranger.id)
  expect([await ids('closed_by'), await ids('related_merge_requests')]).toEqual([[], []])
})

test('administrators get any issue by its id over all projects, the same as in its project; others are refused', async () => {
  const issue = await forge.issue(project, reporter, { confidential: true })
  const [byId, inProject] = await Promise.all([`/issues/${issue.id}`, `${at}/${issue.iid}`].map((path) => forge.as(forge.root).get(path)))
  expect([byId?.status, byId?.body]).toEqual([200, inProject?.body])
  const missing = await forge.as(forge.root).get('/issues/999999999')
  expect([missing.status, missing.body]).toEqual([404, { message: '404 Issue Not Found' }])
  const refused = await Promise.all(
    [forge.anonymous, forge.as(reporter)].map(async (client) => (await client.get(`/issues/${issue.id}`)).status),
  )
  expect(refused).toEqual([401, 403])
})
