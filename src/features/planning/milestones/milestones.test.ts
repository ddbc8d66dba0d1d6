/** Milestones of projects and groups: who reads and changes them, what they may be, and what follows from deleting and promoting them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { listMilestonesOfMember } from './milestones.ts'

let forge: Forge
let owner: TestUser
let developer: TestUser
let reporter: TestUser
let group: LocatedGroup
let project: TestProject
let at: { project: string; group: string }

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, reporter] = await Promise.all([forge.user(), forge.user(), forge.user()])
  group = await forge.group({ owner, developer, reporter })
  project = await forge.project({ group, files: null })
  at = { project: `/projects/${project.id}/milestones`, group: `/groups/${group.id}/milestones` }
})

const fresh = () => `milestone ${Math.random().toString(36).slice(2)}`

describe.each(['project', 'group'] as const)('a milestone of a %s', (kind) => {
  const create = async (fields: object = {}) => (await forge.as(developer).post(at[kind], { title: fresh(), ...fields })).body

  test('is created, shown, changed, closed, opened again and deleted', async () => {
    const client = forge.as(developer)
    const created = await client.post(at[kind], { title: ' 1.0 ', description: 'First', start_date: '2018-02-02', due_date: '2018-03-02' })
    const { id } = created.body
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        iid: 1,
        ...(kind === 'project' ? { project_id: project.id } : { group_id: group.id }),
        title: '1.0',
        description: 'First',
        state: 'active',
        created_at: expect.any(String),
        updated_at: created.body.created_at,
        closed_at: null,
        due_date: '2018-03-02',
        start_date: '2018-02-02',
        expired: true,
        web_url: `http://gitstead.test/${kind === 'project' ? `${project.full_path}/milestones/1` : `groups/${group.full_path}/-/milestones/1`}`,
      },
    ])
    expect((await forge.as(reporter).get(`${at[kind]}/${id}`)).body).toEqual(created.body)
    const changed = await client.put(`${at[kind]}/${id}`, { title: '1.1', due_date: null, start_date: '' })
    expect(changed.body).toMatchObject({ title: '1.1', description: 'First', due_date: null, start_date: null, expired: false })
    const closed = await client.put(`${at[kind]}/${id}`, { state_event: 'close' })
    expect(closed.body).toMatchObject({ state: 'closed', closed_at: expect.any(String) })
    const again = await client.put(`${at[kind]}/${id}`, { state_event: 'close' })
    expect(again.body.closed_at).toBe(closed.body.closed_at)
    const opened = await client.put(`${at[kind]}/${id}`, { state_event: 'activate' })
    expect(opened.body).toMatchObject({ state: 'active', closed_at: null })
    expect((await client.delete(`${at[kind]}/${id}`)).status).toBe(204)
    const gone = await client.get(`${at[kind]}/${id}`)
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Milestone Not Found' }])
  })

  test('is found by number, state, title, part of its text and time of change', async () => {
    const [one, two] = [await create({ description: `has ${fresh()}` }), await create()]
    await forge.as(developer).put(`${at[kind]}/${two.id}`, { state_event: 'close' })
    const idsOf = async (query: string) => {
      const { body } = await forge.as(reporter).get(`${at[kind]}?${query}`)
      return (body as Array<{ id: number }>).map(({ id }) => id)
    }
    expect((await idsOf('')).slice(0, 2)).toEqual([two.id, one.id])
    expect(await idsOf(`iids[]=${one.iid}&iids[]=${two.iid}`)).toEqual([two.id, one.id])
    expect(await idsOf(`iids=${one.iid}`)).toEqual([one.id])
    expect(await idsOf(`title=${two.title}`)).toEqual([two.id])
    expect(await idsOf(`search=${one.description.slice(4)}`)).toEqual([one.id])
    expect(await idsOf('state=closed')).toContain(two.id)
    expect(await idsOf('state=active')).not.toContain(two.id)
    expect(await idsOf('updated_after=2999-01-01')).toEqual([])
    expect(await idsOf(`updated_before=${one.updated_at}`)).toContain(one.id)
  })

  test('is refused for a bad title, bad dates and nothing at all, and nothing changes', async () => {
    const client = forge.as(developer)
    const before = await create({ start_date: '2018-01-01' })
    const answers = []
    for (const fields of [
      { title: before.title },
      { title: ' ' },
      { title: 'x'.repeat(256) },
      { title: 'a\u0007b' },
      { title: fresh(), due_date: '2018-13-40' },
      { title: fresh(), start_date: '2018-03-02', due_date: '2018-03-02' },
      { due_date: '2018-03-02' },
    ])
      answers.push((await client.post(at[kind], fields)).body)
    expect(answers).toEqual([
      { message: { title: ['already being used for another group or project milestone.'] } },
      { message: { title: ["can't be blank"] } },
      { message: { title: ['is too long (maximum is 255 characters)'] } },
      { message: { title: ['is invalid'] } },
      { error: 'due_date is invalid' },
      { message: { due_date: ['must be greater than start date'] } },
      { error: 'title is missing' },
    ])
    const untitled = await client.put(`${at[kind]}/${before.id}`, { title: null })
    expect([untitled.status, untitled.body]).toEqual([400, { message: { title: ["can't be blank"] } }])
    const early = await client.put(`${at[kind]}/${before.id}`, { due_date: '2017-01-01' })
    expect([early.status, early.body]).toEqual([400, { message: { due_date: ['must be greater than start date'] } }])
    expect((await client.put(`${at[kind]}/${before.id}`, { state_event: 'explode' })).status).toBe(400)
    expect((await client.put(`${at[kind]}/${before.id}`)).status).toBe(400)
    expect((await client.get(`${at[kind]}/${before.id}`)).body).toEqual(before)
    expect((await client.post(at[kind], { title: `"${kind[0]}${'x'.repeat(252)}"` })).status).toBe(201)
  })

  test('is changed by developers and above', async () => {
    const { id } = await create()
    for (const [client, status] of [
      [forge.as(reporter), 403],
      [forge.as(await forge.user()), 404],
      [forge.anonymous, 401],
    ] as const) {
      expect((await client.post(at[kind], { title: fresh() })).status).toBe(status)
      expect((await client.put(`${at[kind]}/${id}`, { title: fresh() })).status).toBe(status)
      expect((await client.delete(`${at[kind]}/${id}`)).status).toBe(status)
    }
  })

  test('has numbers without gaps or repeats when many are created at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => create()))
    const iids = made.map(({ iid }) => iid).sort((a, b) => a - b)
    expect(iids).toEqual(iids.map((_, index) => (iids[0] as number) + index))
  })

  test('is created once when the same title comes many times at once', async () => {
    const title = fresh()
    const answers = await Promise.all(Array.from({ length: 5 }, () => forge.as(developer).post(at[kind], { title })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
  })
})

test('a title is used once in a group and its projects, whichever comes first', async () => {
  const [one, two] = [fresh(), fresh()]
  const client = forge.as(developer)
  const created = await Promise.all([client.post(at.project, { title: one }), client.post(at.group, { title: one })])
  expect(created.map(({ status }) => status).sort()).toEqual([201, 400])
  const other = await forge.project({ group, files: null })
  expect((await client.post(at.project, { title: two })).status).toBe(201)
  expect((await client.post(`/projects/${other.id}/milestones`, { title: two })).status).toBe(201)
  expect((await client.post(at.group, { title: two })).status).toBe(400)
})

test('the milestones of the groups above are listed on request, and changed in the group only', async () => {
  const below = await forge.group({ parent: group })
  const inBelow = await forge.project({ group: below, files: null })
  const { body } = await forge.as(developer).post(at.group, { title: fresh() })
  const listed = async (query: string) => (await forge.as(reporter).get(`/projects/${inBelow.id}/milestones?${query}`)).body
  expect(await listed('')).toEqual([])
  for (const parameter of ['include_ancestors', 'include_parent_milestones'])
    expect(await listed(`${parameter}=true&title=${body.title}`)).toEqual([body])
  expect((await forge.as(owner).get(`/projects/${inBelow.id}/milestones/${body.id}`)).status).toBe(404)
  expect((await forge.as(owner).put(`${at.project}/${body.id}`, { title: fresh() })).status).toBe(404)
})

test('in an archived project milestones are read, and not changed; without issues and merge requests they are hidden', async () => {
  const own = await forge.project({ owner, files: null })
  const client = forge.as(owner)
  const url = `/projects/${own.id}/milestones`
  const { body } = await client.post(url, { title: 'One' })
  await client.post(`/projects/${own.id}/archive`)
  expect((await client.get(url)).body).toEqual([body])
  expect((await client.post(url, { title: 'Two' })).status).toBe(403)
  expect((await client.put(`${url}/${body.id}`, { title: 'Two' })).status).toBe(403)
  await client.post(`/projects/${own.id}/unarchive`)
  await client.put(`/projects/${own.id}`, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' })
  expect((await client.get(url)).status).toBe(403)
})

test('issues lose a milestone that is deleted, which is recorded on each', async () => {
  const { body } = await forge.as(developer).post(at.project, { title: fresh() })
  const issue = await forge.issue(project, developer, { milestone_id: body.id })
  await forge.as(developer).delete(`${at.project}/${body.id}`)
  const after = await forge.as(developer).get(`/projects/${project.id}/issues/${issue.iid}`)
  expect(after.body.milestone).toBe(null)
  const events = await forge.app.db.selectFrom('milestone_events').select('action').where('issue_id', '=', issue.id).orderBy('id').execute()
  expect(events.map(({ action }) => action)).toEqual(['add', 'remove'])
})

describe('promotion', () => {
  test('makes one milestone of the group of all with its title in the projects of the group', async () => {
    const other = await forge.project({ group, files: null })
    const title = fresh()
    const [one, two] = await Promise.all(
      [project, other].map(({ id }) => forge.as(developer).post(`/projects/${id}/milestones`, { title, due_date: '2030-01-01' })),
    )
    const issues = await Promise.all([
      forge.issue(project, developer, { milestone_id: one?.body.id }),
      forge.issue(other, developer, { milestone_id: two?.body.id }),
    ])
    const promoted = await forge.as(developer).post(`${at.project}/${one?.body.id}/promote`)
    expect([promoted.status, promoted.body]).toEqual([200, expect.objectContaining({ group_id: group.id, title, due_date: '2030-01-01' })])
    for (const { project_id, iid } of issues) {
      const { body } = await forge.as(developer).get(`/projects/${project_id}/issues/${iid}`)
      expect(body.milestone).toEqual(promoted.body)
    }
    expect((await forge.as(developer).get(`${at.project}/${one?.body.id}`)).status).toBe(404)
    expect((await forge.as(developer).get(`/projects/${other.id}/milestones/${two?.body.id}`)).status).toBe(404)
  })

  test('is refused without a group, and to those who are no developers of the group', async () => {
    const own = await forge.project({ owner, files: null })
    const created = await forge.as(owner).post(`/projects/${own.id}/milestones`, { title: 'One' })
    const alone = await forge.as(owner).post(`/projects/${own.id}/milestones/${created.body.id}/promote`)
    expect([alone.status, alone.body]).toEqual([400, { message: 'Project does not belong to a group.' }])
    const maintainer = await forge.user()
    const inGroup = await forge.project({ group, maintainer, files: null })
    const { body } = await forge.as(maintainer).post(`/projects/${inGroup.id}/milestones`, { title: fresh() })
    expect((await forge.as(maintainer).post(`/projects/${inGroup.id}/milestones/${body.id}/promote`)).status).toBe(403)
    expect((await forge.as(maintainer).get(`/projects/${inGroup.id}/milestones/${body.id}`)).status).toBe(200)
  })
})

test('a list costs the same, however long it is', async () => {
  const costOf = (per_page: number) => forge.cost(() => forge.as(reporter).get(`${at.project}?per_page=${per_page}`))
  expect(await costOf(1)).toEqual(await costOf(20))
})

test('the milestones of a member: active ones of their groups and projects, those due first in front', async () => {
  const member = await forge.user()
  const mine = await forge.group({ owner, developer: member })
  const [one, archived, off, strange] = [
    await forge.project({ group: mine, files: null }),
    await forge.project({ group: mine, files: null }),
    await forge.project({ group: mine, files: null }),
    await forge.project({ owner, visibility: 'public', files: null }),
  ]
  const client = forge.as(owner)
  const create = async (place: string, fields: object = {}) =>
    (await client.post(`${place}/milestones`, { title: fresh(), ...fields })).body
  const dateless = await create(`/groups/${mine.id}`)
  const late = await create(`/projects/${one.id}`, { due_date: '2031-01-01', title: 'Find me' })
  const early = await create(`/groups/${mine.id}`, { due_date: '2030-01-01' })
  const closed = await create(`/projects/${one.id}`)
  await client.put(`/projects/${one.id}/milestones/${closed.id}`, { state_event: 'close' })
  for (const { id } of [archived, off, strange]) await create(`/projects/${id}`)
  await client.post(`/projects/${archived.id}/archive`)
  await client.put(`/projects/${off.id}`, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' })
  const found = async ({ id }: { id: number }, search = '') => {
    const { rows, total } = await listMilestonesOfMember(forge.app.db, id, search, { limit: 10, offset: 0 })
    return [total, rows.map((row) => row.id)]
  }
  expect(await found(member)).toEqual([3, [early.id, late.id, dateless.id]])
  expect(await found(member, 'find')).toEqual([1, [late.id]])
  expect(await found(await forge.user())).toEqual([0, []])
})
