/** Boards of projects and groups: who reads and changes them, and the order of their lists. */
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
  group = await forge.group({ owner, reporter, guest })
  project = await forge.project({ group, files: null })
  at = { project: `/projects/${project.id}/boards`, group: `/groups/${group.id}/boards` }
})

const fresh = () => `name ${Math.random().toString(36).slice(2)}`
const label = async (kind: 'project' | 'group' = 'group') =>
  (await forge.as(owner).post(at[kind].replace('/boards', '/labels'), { name: fresh(), color: '#F0AD4E' })).body

describe.each(['project', 'group'] as const)('a board of a %s', (kind) => {
  const create = async () => (await forge.as(reporter).post(at[kind], { name: fresh() })).body
  const withLists = async (count: number) => {
    const { id } = await create()
    const lists = []
    for (let number = 0; number < count; number++)
      lists.push((await forge.as(reporter).post(`${at[kind]}/${id}/lists`, { label_id: (await label()).id })).body.id)
    return { url: `${at[kind]}/${id}/lists`, lists }
  }
  const orderOf = async (url: string) => {
    const { body } = await forge.as(guest).get(url)
    expect(body.map(({ position }: { position: number }) => position)).toEqual(body.map((_: unknown, index: number) => index))
    return body.map(({ id }: { id: number }) => id)
  }

  test('is created, shown with its lists, changed and deleted', async () => {
    const client = forge.as(reporter)
    const created = await client.post(at[kind], { name: ' Sprint ', hide_closed_list: true })
    const place =
      kind === 'group'
        ? {
            project: null,
            group_id: group.id,
            group: { id: group.id, name: group.name, web_url: `http://gitstead.test/groups/${group.full_path}` },
          }
        : { project: (await client.get(`/groups/${group.id}/projects?simple=true`)).body[0] }
    const { id } = created.body
    const shown = { id, name: 'Sprint', hide_backlog_list: false, hide_closed_list: true, ...place, milestone: null, lists: [] }
    expect([created.status, created.body]).toEqual([201, shown])
    const { id: label_id, name, color } = await label()
    const list = await client.post(`${at[kind]}/${id}/lists`, { label_id })
    expect([list.status, list.body]).toEqual([
      201,
      { id: expect.any(Number), label: { id: label_id, name, color, description: null }, position: 0 },
    ])
    expect((await forge.as(guest).get(`${at[kind]}/${id}`)).body).toEqual({ ...shown, lists: [list.body] })
    expect((await forge.as(guest).get(`${at[kind]}/${id}/lists/${list.body.id}`)).body).toEqual(list.body)
    expect((await forge.as(guest).get(at[kind])).body).toContainEqual({ ...shown, lists: [list.body] })
    const changed = await client.put(`${at[kind]}/${id}`, { name: 'Other', hide_closed_list: false })
    expect([changed.status, changed.body.name, changed.body.hide_closed_list, changed.body.lists]).toEqual([
      200,
      'Other',
      false,
      [list.body],
    ])
    expect((await client.delete(`${at[kind]}/${id}`)).status).toBe(204)
    expect((await client.get(`${at[kind]}/${id}`)).status).toBe(404)
  })

  test('is refused without a name, and changes nothing then', async () => {
    const client = forge.as(reporter)
    const { id, name } = await create()
    const answers = []
    for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(256) }, { name: 'a\nb' }])
      answers.push((await client.post(at[kind], body)).body)
    expect(answers).toEqual([
      { error: 'name is missing' },
      { message: { name: ["can't be blank"] } },
      { message: { name: ['is too long (maximum is 255 characters)'] } },
      { message: { name: ['is invalid'] } },
    ])
    expect((await client.put(`${at[kind]}/${id}`, { name: '' })).status).toBe(400)
    expect((await client.put(`${at[kind]}/${id}`)).status).toBe(400)
    expect((await client.get(`${at[kind]}/${id}`)).body.name).toBe(name)
  })

  test('is changed by reporters, and loses lists by owners alone', async () => {
    const { url, lists } = await withLists(2)
    const board = url.replace('/lists', '')
    for (const [client, status] of [
      [forge.as(guest), 403],
      [forge.as(await forge.user()), 404],
      [forge.anonymous, 401],
    ] as const) {
      const answers = [
        await client.post(at[kind], { name: fresh() }),
        await client.put(board, { name: fresh() }),
        await client.delete(board),
        await client.post(url, { label_id: 1 }),
        await client.put(`${url}/${lists[0]}`, { position: 1 }),
        await client.delete(`${url}/${lists[0]}`),
      ]
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status))
    }
    expect((await forge.as(reporter).delete(`${url}/${lists[0]}`)).status).toBe(403)
    expect(
      (
        await forge
          .as(owner)
          .delete(`${url}/${lists[0]}`, undefined, { headers: { 'if-unmodified-since': 'Fri, 19 Jan 2001 13:21:00 GMT' } })
      ).status,
    ).toBe(412)
    expect((await forge.as(owner).delete(`${url}/${lists[0]}`)).status).toBe(204)
    expect(await orderOf(url)).toEqual([lists[1]])
  })

  test('keeps the order of its lists when they are moved, deleted and lose their label', async () => {
    const { url, lists } = await withLists(4)
    const [one, two, three, four] = lists
    expect(await orderOf(url)).toEqual([one, two, three, four])
    const moved = await forge.as(reporter).put(`${url}/${four}`, { position: 1 })
    expect([moved.status, moved.body.position]).toEqual([200, 1])
    expect(await orderOf(url)).toEqual([one, four, two, three])
    const { body } = await forge.as(guest).get(`${url}/${four}`)
    await forge.as(owner).delete(`/groups/${group.id}/labels/${body.label.id}`)
    expect(await orderOf(url)).toEqual([one, two, three])
    await forge.as(reporter).put(`${url}/${three}`, { position: 1 })
    expect(await orderOf(url)).toEqual([one, three, two])
    for (const position of [1, 3, -1])
      expect((await forge.as(reporter).put(`${url}/${three}`, { position })).body).toEqual({
        message: { error: 'List could not be moved!' },
      })
    expect((await forge.as(reporter).put(`${url}/${three}`, { position: 'x' })).status).toBe(400)
    expect((await forge.as(reporter).put(`${url}/99999`, { position: 1 })).status).toBe(404)
    expect(await orderOf(url)).toEqual([one, three, two])
  })

  test('has a list of a label of its own place or the groups above it, once', async () => {
    const { url } = await withLists(0)
    const client = forge.as(reporter)
    const { body: foreign } = await forge
      .as(owner)
      .post(`/projects/${(await forge.project({ owner })).id}/labels`, { name: fresh(), color: 'red' })
    for (const label_id of [foreign.id, 99_999]) {
      const { status, body } = await client.post(url, { label_id })
      expect([status, body]).toEqual([400, { message: { error: 'Label not found!' } }])
    }
    const ofProject = await label('project')
    expect((await client.post(url, { label_id: ofProject.id })).status).toBe(kind === 'project' ? 201 : 400)
    const { id: label_id } = await label()
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.post(url, { label_id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({ message: { label_id: ['has already been taken'] } })
  })

  test('has its lists in one order when many are created and moved at once', async () => {
    const { url, lists } = await withLists(4)
    const labels = await Promise.all([1, 2, 3].map(() => label()))
    await Promise.all([
      ...labels.map(({ id }) => forge.as(reporter).post(url, { label_id: id })),
      ...lists.map((id) => forge.as(reporter).put(`${url}/${id}`, { position: 2 })),
    ])
    expect(new Set(await orderOf(url)).size).toBe(7)
  })

  test('costs the same, however many boards and lists there are', async () => {
    const { url } = await withLists(3)
    const boards = (per_page: number) => forge.cost(() => forge.as(guest).get(`${at[kind]}?per_page=${per_page}`))
    expect(await boards(1)).toEqual(await boards(20))
    const lists = (per_page: number) => forge.cost(() => forge.as(guest).get(`${url}?per_page=${per_page}`))
    expect(await lists(1)).toEqual(await lists(3))
  })
})

test('a board of elsewhere is not found, nor a list of another board', async () => {
  const elsewhere = await forge.project({ owner, files: null })
  const { body } = await forge.as(owner).post(`/projects/${elsewhere.id}/boards`, { name: 'Elsewhere' })
  expect((await forge.as(owner).get(`${at.project}/${body.id}`)).status).toBe(404)
  expect((await forge.as(owner).get(`${at.group}/${body.id}`)).status).toBe(404)
  const { id } = (await forge.as(owner).post(at.project, { name: 'One' })).body
  const other = (await forge.as(owner).post(at.project, { name: 'Two' })).body
  const list = (await forge.as(owner).post(`${at.project}/${id}/lists`, { label_id: (await label()).id })).body
  expect((await forge.as(owner).get(`${at.project}/${other.id}/lists/${list.id}`)).status).toBe(404)
})

test('boards of an archived project are read, and not changed; without issues they are hidden', async () => {
  const own = await forge.project({ owner, files: null })
  const url = `/projects/${own.id}/boards`
  const { body } = await forge.as(owner).post(url, { name: 'One' })
  await forge.as(owner).post(`/projects/${own.id}/archive`)
  expect((await forge.as(owner).get(url)).body).toEqual([body])
  expect((await forge.as(owner).put(`${url}/${body.id}`, { name: 'Two' })).status).toBe(403)
  expect((await forge.as(owner).post(`${url}/${body.id}/lists`, { label_id: 1 })).status).toBe(403)
  await forge.as(owner).post(`/projects/${own.id}/unarchive`)
  await forge.as(owner).put(`/projects/${own.id}`, { issues_access_level: 'disabled' })
  expect((await forge.as(owner).get(url)).status).toBe(403)
})
