/** Labels of projects and groups: who reads and changes them, what they may be, and what is counted of them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedGroup } from '../../../access/find.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let guest: TestUser
let group: LocatedGroup
let project: TestProject
let at: { project: string; group: string }

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, guest] = await Promise.all([forge.user(), forge.user(), forge.user()])
  group = await forge.group({ owner, reporter })
  project = await forge.project({ group, guest })
  at = { project: `/projects/${project.id}/labels`, group: `/groups/${group.id}/labels` }
})

const fresh = () => `label ${Math.random().toString(36).slice(2)}`

describe('a label', () => {
  test('is created, shown, changed by name and by id, and deleted', async () => {
    const client = forge.as(reporter)
    const name = fresh()
    const created = await client.post(at.project, { name, color: '#ffaabb', description: 'test', priority: 2 })
    const shown = {
      id: expect.any(Number),
      name,
      color: '#ffaabb',
      description: 'test',
      text_color: '#333333',
      open_issues_count: 0,
      closed_issues_count: 0,
      open_merge_requests_count: 0,
      subscribed: false,
      priority: 2,
      is_project_label: true,
    }
    expect([created.status, created.body]).toEqual([201, shown])
    const { id } = created.body
    expect((await client.get(`${at.project}/${id}`)).body).toEqual(created.body)
    expect((await client.get(`${at.project}/${encodeURIComponent(name)}`)).body).toEqual(created.body)
    const other = fresh()
    const renamed = await client.put(at.project, { name, new_name: other, priority: null })
    expect([renamed.status, renamed.body]).toEqual([200, { ...created.body, name: other, priority: null }])
    const changed = await client.put(`${at.project}/${id}`, { color: 'Tomato', description: '', priority: 0 })
    expect(changed.body).toEqual({ ...renamed.body, color: '#FF6347', description: null, priority: 0, text_color: '#FFFFFF' })
    expect((await client.delete(at.project, { name: other })).status).toBe(204)
    const gone = await client.delete(at.project, { name: other })
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Label Not Found' }])
  })

  test('is unique in its project and the groups above it, also under concurrency', async () => {
    const name = fresh()
    const requests = await Promise.all(Array.from({ length: 5 }, () => forge.as(reporter).post(at.project, { name, color: 'red' })))
    expect(requests.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const above = fresh()
    await forge.as(reporter).post(at.group, { name: above, color: '#000' })
    const below = await forge.as(reporter).post(at.project, { name: above, color: '#000' })
    expect([below.status, below.body]).toEqual([409, { message: 'Label already exists' }])
    const taken = await forge.as(reporter).put(at.project, { name, new_name: name.toUpperCase() })
    expect(taken.status).toBe(200)
  })

  test('with invalid fields is rejected with the reason, and nothing changes', async () => {
    const client = forge.as(reporter)
    const before = (await client.get(at.project)).body
    const refusals: Array<[Record<string, unknown>, unknown]> = [
      [{ color: 'red' }, { error: 'name is missing' }],
      [{ name: 'x' }, { error: 'color is missing' }],
      [{ name: 'x', color: '#FFAA' }, { message: { color: ['must be a valid color code'] } }],
      [{ name: 'x', color: 'constructor' }, { message: { color: ['must be a valid color code'] } }],
      [{ name: 'a,b', color: 'red' }, { message: { title: ['is invalid'] } }],
      [{ name: ' ', color: 'red' }, { message: { title: ["can't be blank"] } }],
      [{ name: 'x'.repeat(256), color: 'red' }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
      [{ name: 'x', color: 'red', priority: 'foo' }, { error: 'priority is invalid' }],
      [{ name: 'x', color: 'red', priority: -1 }, { error: 'priority does not have a valid value' }],
    ]
    for (const [sent, body] of refusals) {
      const answer = await client.post(at.project, sent)
      expect([sent, answer.status, answer.body]).toEqual([sent, 400, body])
    }
    expect((await client.get(at.project)).body).toEqual(before)
    const nothing = await client.put(at.project, { name: 'x' })
    expect(nothing.status).toBe(400)
  })

  test('of a group is in its projects, and changed in the group only', async () => {
    const name = fresh()
    const { body } = await forge.as(reporter).post(at.group, { name, color: 'navy' })
    expect(body).toMatchObject({ name, color: '#000080', is_project_label: false, priority: null })
    const seen = await forge.as(guest).get(`${at.project}/${body.id}`)
    expect(seen.body).toEqual(body)
    expect((await forge.as(guest).get(`${at.project}?include_ancestor_groups=false&search=${name}`)).body).toEqual([])
    expect((await forge.as(guest).get(`${at.project}?search=${name}`)).body).toEqual([body])
    for (const client of [forge.as(reporter), forge.as(owner)]) {
      expect((await client.put(`${at.project}/${body.id}`, { new_name: fresh() })).status).toBe(404)
      expect((await client.delete(`${at.project}/${body.id}`)).status).toBe(404)
    }
    const elsewhere = await forge.project({ owner })
    expect((await forge.as(owner).get(`/projects/${elsewhere.id}/labels/${body.id}`)).status).toBe(404)
  })

  test('is created by reporters and above', async () => {
    for (const [client, status] of [
      [forge.as(guest), 403],
      [forge.as(await forge.user()), 404],
      [forge.anonymous, 401],
    ] as const) {
      expect((await client.post(at.project, { name: fresh(), color: 'red' })).status).toBe(status)
    }
  })

  test('can be subscribed to once, in each project for itself', async () => {
    const { body } = await forge.as(reporter).post(at.group, { name: fresh(), color: 'red' })
    const subscribed = await forge.as(guest).post(`${at.project}/${body.id}/subscribe`)
    expect([subscribed.status, subscribed.body.subscribed]).toEqual([201, true])
    expect((await forge.as(guest).post(`${at.project}/${body.id}/subscribe`)).status).toBe(304)
    expect((await forge.as(reporter).get(`${at.project}/${body.id}`)).body.subscribed).toBe(false)
    const ended = await forge.as(guest).post(`${at.project}/${body.id}/unsubscribe`)
    expect([ended.status, ended.body.subscribed]).toEqual([201, false])
    expect((await forge.as(guest).post(`${at.project}/${body.id}/unsubscribe`)).status).toBe(304)
  })
})

test('a name that no label can have is not found', async () => {
  const own = await forge.project({ owner, files: null })
  for (const name of ['%00', 'a%00b']) {
    expect((await forge.as(owner).get(`/projects/${own.id}/labels/${name}`)).status).toBe(404)
    expect((await forge.as(owner).post(`/projects/${own.id}/labels/${name}/subscribe`)).status).toBe(404)
  }
})

test('subscribing several times at once subscribes once', async () => {
  const own = await forge.project({ owner, files: null })
  const { body: label } = await forge.as(owner).post(`/projects/${own.id}/labels`, { name: 'bug', color: 'red' })
  const at = `/projects/${own.id}/labels/${label.id}`
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => forge.as(owner).post(`${at}/subscribe`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 304, 304, 304, 304])
  await forge.as(owner).post(`${at}/unsubscribe`)
  expect((await forge.as(owner).get(at)).body.subscribed).toBe(false)
})

test('a group lists labels of groups and projects below it when asked, as far as the caller sees them', async () => {
  const [ada, guest] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: ada, visibility: 'public' })
  const below = await forge.group({ owner: ada, visibility: 'private', parent: group })
  const open = await forge.project({ group, visibility: 'public', files: null })
  const hidden = await forge.project({ group: below, visibility: 'private', files: null })
  const places = {
    above: `/groups/${group.id}`,
    below: `/groups/${below.id}`,
    open: `/projects/${open.id}`,
    hidden: `/projects/${hidden.id}`,
  }
  for (const [name, place] of Object.entries(places)) await forge.as(ada).post(`${place}/labels`, { name, color: 'red' })
  const listed = async (user: typeof ada, query: string) =>
    (await forge.as(user).get(`${places.above}/labels?${query}`)).body.map(({ name }: { name: string }) => name)
  expect(await listed(ada, '')).toEqual(['above'])
  expect(await listed(ada, 'include_descendant_groups=true')).toEqual(['above', 'below'])
  expect(await listed(ada, 'only_group_labels=false')).toEqual(['above', 'open'])
  expect(await listed(ada, 'include_descendant_groups=true&only_group_labels=false')).toEqual(['above', 'below', 'hidden', 'open'])
  expect(await listed(guest, 'include_descendant_groups=true&only_group_labels=false')).toEqual(['above', 'open'])
})
