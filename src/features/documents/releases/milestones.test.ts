/** Milestones of releases: by title, from the project or above it, shown to those who can see them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import type { LocatedGroup } from '../../../access/find.ts'

let forge: Forge
let owner: TestUser
let top: LocatedGroup
let group: LocatedGroup

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  top = await forge.group({ owner })
  group = await forge.group({ owner, parent: top })
})

/** A project of the group with milestones of its own, of the group and of that above, and a release of all of them. */
async function released(titles: string[], where: { group: LocatedGroup } | { owner: TestUser; visibility: 'public' } = { group }) {
  const project = await forge.project(where)
  const own = await milestone(`/projects/${project.id}`, titles[0])
  const tag = { tag_name: 'v1', ref: 'main', milestones: titles }
  const { status, body } = await forge.as(owner).post(`/projects/${project.id}/releases`, tag)
  expect(status).toBe(201)
  return { project, own, body }
}

async function milestone(place: string, title = ''): Promise<number> {
  const { status, body } = await forge.as(owner).post(`${place}/milestones`, { title })
  expect([title, status]).toEqual([title, 201])
  return body.id
}

type Shown = { milestones: Array<{ title: string }> }
const titlesOf = ({ milestones }: Shown) => milestones.map(({ title }) => title)
const titlesIn = async (project: TestProject, by = forge.as(owner)) => titlesOf((await by.get(`/projects/${project.id}/releases/v1`)).body)

test('a release has the milestones whose titles are sent, with the number of their issues', async () => {
  const [above, far] = [await milestone(`/groups/${group.id}`, 'Above'), await milestone(`/groups/${top.id}`, 'Far')]
  const { project, own, body } = await released(['Own', 'Above', 'Far', 'Own'])
  const url = `${forge.app.config.url}/${project.full_path}/milestones/1`
  expect(titlesOf(body)).toEqual(['Above', 'Far', 'Own'])
  expect(body.milestones[2]).toMatchObject({ id: own, project_id: project.id, web_url: url, issue_stats: { total: 0, closed: 0 } })
  expect(body.milestones.map(({ group_id }: { group_id?: number }) => group_id)).toEqual([group.id, top.id, undefined])
  await forge.issue(project, owner, { milestone_id: above })
  const { iid } = await forge.issue(project, owner, { milestone_id: far })
  await forge.as(owner).put(`/projects/${project.id}/issues/${iid}`, { state_event: 'close' })
  await forge.issue(project, owner, { milestone_id: far })
  const [listed] = (await forge.as(owner).get(`/projects/${project.id}/releases`)).body
  expect(listed.milestones.map(({ issue_stats }: { issue_stats: object }) => issue_stats)).toEqual([
    { total: 1, closed: 0 },
    { total: 2, closed: 1 },
    { total: 0, closed: 0 },
  ])
})

test('a change replaces the milestones that are sent, and leaves them where none are', async () => {
  const { project } = await released(['One'])
  await milestone(`/projects/${project.id}`, 'Two')
  const change = async (sent: object) => {
    const { status, body } = await forge.as(owner).put(`/projects/${project.id}/releases/v1`, sent)
    return [status, titlesOf(body)]
  }
  expect(await change({ milestones: ['Two'] })).toEqual([200, ['Two']])
  expect(await change({ name: 'Named' })).toEqual([200, ['Two']])
  expect(await change({ milestones: ['Two', 'One'] })).toEqual([200, ['One', 'Two']])
  expect(await change({ milestones: [] })).toEqual([200, []])
})

test('of two milestones with one title the own one is meant', async () => {
  await milestone(`/groups/${top.id}`, 'Same')
  const { own, body } = await released(['Same'])
  expect(body.milestones.map(({ id }: { id: number }) => id)).toEqual([own])
})

test('a title without a milestone in the project or above it is refused by name, and neither tag nor change stays', async () => {
  const { project } = await released(['Known'])
  const other = await forge.project({ group })
  await milestone(`/projects/${other.id}`, 'Elsewhere')
  const at = `/projects/${project.id}/releases`
  for (const milestones of [['Known', 'Elsewhere', 'none'], ['known']]) {
    const message = `Milestone(s) not found: ${milestones.filter((title) => title !== 'Known').join(', ')}`
    for (const answer of [
      await forge.as(owner).post(at, { tag_name: 'v2', ref: 'main', milestones }),
      await forge.as(owner).put(`${at}/v1`, { name: 'Changed', milestones }),
    ])
      expect([milestones, answer.status, answer.body]).toEqual([milestones, 400, { message }])
  }
  expect(await git(project.dir, 'tag', '-l', 'v2')).toBe('')
  expect((await forge.as(owner).get(`${at}/v1`)).body).toMatchObject({ name: 'v1', milestones: [{ title: 'Known' }] })
  const many = await forge.as(owner).put(`${at}/v1`, { milestones: Array.from({ length: 101 }, () => 'Known') })
  expect(many.status).toBe(400)
})

test('a deleted milestone leaves its releases, and with a project everything of them goes', async () => {
  const { project, own } = await released(['Short'])
  expect((await forge.as(owner).delete(`/projects/${project.id}/milestones/${own}`)).status).toBe(204)
  expect(await titlesIn(project)).toEqual([])
  await forge
    .as(owner)
    .put(`/projects/${project.id}/releases/v1`, { milestones: [(await milestone(`/groups/${top.id}`, 'Long')) && 'Long'] })
  const rows = async () => {
    const all = forge.app.db.selectFrom('release_milestones').innerJoin('milestones', 'milestones.id', 'milestone_id').selectAll()
    return (await all.where('title', '=', 'Long').execute()).length
  }
  expect(await rows()).toBe(1)
  expect((await forge.as(forge.root).delete(`/projects/${project.id}`)).status).toBe(202)
  await forge.drain()
  expect(await rows()).toBe(0)
})

test('releases and merge requests keep their milestones when these are promoted, and when the project leaves the group', async () => {
  const { project, own } = await released(['Kept'])
  await git(project.dir, 'branch', 'topic', 'main')
  const request = await forge.mergeRequest(project, owner, { source_branch: 'topic', milestone_id: own })
  const milestoneOfRequest = async () =>
    (await forge.as(owner).get(`/projects/${project.id}/merge_requests/${request.iid}`)).body.milestone?.title
  expect((await forge.as(owner).post(`/projects/${project.id}/milestones/${own}/promote`)).status).toBe(200)
  expect([await titlesIn(project), await milestoneOfRequest()]).toEqual([['Kept'], 'Kept'])
  const elsewhere = await forge.group({ owner })
  const moved = await forge.as(owner).put(`/projects/${project.id}/transfer`, { namespace: elsewhere.id })
  expect(moved.status).toBe(200)
  const { body } = await forge.as(owner).get(`/projects/${project.id}/releases/v1`)
  expect(body.milestones).toMatchObject([{ title: 'Kept', project_id: project.id }])
  expect(await milestoneOfRequest()).toBe('Kept')
})

test('milestones are shown to those who can see them, and count the issues they can see', async () => {
  const { project, own } = await released(['Public'], { owner, visibility: 'public' })
  await forge.issue(project, owner, { milestone_id: own, confidential: true })
  const stats = async (by: Forge['anonymous']) =>
    (await by.get(`/projects/${project.id}/releases`)).body.flatMap(({ milestones }: { milestones: Array<{ issue_stats: object }> }) =>
      milestones.map(({ issue_stats }) => issue_stats),
    )
  expect(await stats(forge.anonymous)).toEqual([{ total: 0, closed: 0 }])
  expect(await stats(forge.as(owner))).toEqual([{ total: 1, closed: 0 }])
  await forge.as(owner).put(`/projects/${project.id}`, { issues_access_level: 'private', merge_requests_access_level: 'private' })
  expect([await stats(forge.anonymous), (await stats(forge.as(owner))).length]).toEqual([[], 1])
})

test('a milestone that is deleted while releases are made with it is on none of them', async () => {
  const { project, own } = await released(['Racing'])
  const [deleted, ...answers] = await Promise.all([
    forge.as(owner).delete(`/projects/${project.id}/milestones/${own}`),
    ...['v2', 'v3', 'v4'].map((tag_name) =>
      forge.as(owner).post(`/projects/${project.id}/releases`, { tag_name, ref: 'main', milestones: ['Racing'] }),
    ),
  ])
  expect([deleted?.status, answers.filter(({ status }) => status !== 201 && status !== 400)]).toEqual([204, []])
  const { body } = await forge.as(owner).get(`/projects/${project.id}/releases`)
  expect(body.flatMap(titlesOf)).toEqual([])
})

test('a list costs the same statements for one release with a milestone and for five with two', async () => {
  const { project } = await released(['A'])
  const list = () => forge.as(owner).get(`/projects/${project.id}/releases`)
  const cost = async () => {
    await list()
    return (await forge.cost(list)).statements
  }
  const few = await cost()
  await milestone(`/projects/${project.id}`, 'B')
  for (const tag_name of ['v2', 'v3', 'v4', 'v5'])
    await forge.as(owner).post(`/projects/${project.id}/releases`, { tag_name, ref: 'main', milestones: ['A', 'B'] })
  expect([await cost(), (await list()).body.length]).toEqual([few, 5])
})
