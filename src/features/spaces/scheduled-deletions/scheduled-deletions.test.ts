/** Deletion of projects and groups: at once, or later with the way back until then. */

import { beforeAll, expect, test } from 'vitest'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { removeDue, restoreProject } from './scheduled-deletions.service.ts'

let forge: Forge
let owner: TestUser
beforeAll(async () => {
  forge = await openForge()
  owner = await forge.user()
})

const keepFor = (deletion_adjourned_period: number) => forge.as(forge.root).put('/application/settings', { deletion_adjourned_period })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
/** A group with a project, an archived one, and another in a subgroup. */
async function places() {
  const group = await forge.group({ owner })
  const subgroup = await forge.group({ parent: group })
  const project = await forge.project({ group })
  const archived = await forge.project({ group })
  const below = await forge.project({ group: subgroup })
  await forge.as(owner).post(`/projects/${archived.id}/archive`)
  return { group, subgroup, project, archived, below }
}
const read = async (path: string) => (await forge.as(owner).get(path)).body

test('without days what is deleted is gone at once', async () => {
  await keepFor(0)
  const { group, project } = await places()
  expect((await forge.as(owner).delete(`/projects/${project.id}`)).status).toBe(202)
  expect((await forge.as(owner).get(`/projects/${project.id}`)).status).toBe(404)
  expect((await forge.as(owner).delete(`/groups/${group.id}`)).status).toBe(202)
  expect((await forge.as(owner).get(`/groups/${group.id}`)).status).toBe(404)
})

test('a deleted project can be read and not changed until its days have passed, and is what it was once it is restored', async () => {
  await keepFor(7)
  const { project, archived } = await places()
  for (const { id, before } of [
    { id: project.id, before: false },
    { id: archived.id, before: true },
  ]) {
    const at = `/projects/${id}`
    expect((await forge.as(owner).post(`${at}/restore`)).body).toEqual({ message: 'Project has not been marked for deletion' })
    expect((await forge.as(owner).delete(at)).status).toBe(202)
    const marked = await read(at)
    expect(marked).toMatchObject({ archived: true, marked_for_deletion_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
    expect((await forge.as(owner).delete(at)).body).toEqual({ message: 'Project has been already marked for deletion' })
    expect((await forge.as(owner).post(`${at}/unarchive`)).status).toBe(400)
    const file = { branch: 'main', content: 'x', commit_message: 'Add' }
    expect((await forge.as(owner).post(`${at}/repository/files/new.txt`, file)).status).toBe(403)
    // Nobody takes its path meanwhile, so there is a place to be restored to.
    const { path, namespace } = marked
    expect((await forge.as(owner).post('/projects', { name: 'Another', path, namespace_id: namespace.id })).status).toBe(400)
    await removeDue(forge.app, inDays(6.9))
    const restored = await forge.as(owner).post(`${at}/restore`)
    expect([restored.status, restored.body.archived, restored.body.marked_for_deletion_on]).toEqual([201, before, null])
    await removeDue(forge.app, inDays(8))
    expect((await read(at)).id).toBe(id)
  }
})

test('once its days have passed a project is removed with its repository', async () => {
  await keepFor(7)
  const { project } = await places()
  await forge.as(owner).delete(`/projects/${project.id}`)
  await keepFor(30)
  await removeDue(forge.app, inDays(7.1))
  expect((await forge.as(owner).get(`/projects/${project.id}`)).status).toBe(404)
})

test('a group takes all below it along, and brings back what went with it, and nothing else', async () => {
  await keepFor(7)
  const { group, subgroup, project, archived, below } = await places()
  const alone = await forge.project({ group })
  await forge.as(owner).delete(`/projects/${alone.id}`)
  expect((await forge.as(owner).delete(`/groups/${group.id}`)).status).toBe(202)
  for (const { id } of [group, subgroup]) expect((await read(`/groups/${id}`)).marked_for_deletion_on).not.toBeNull()
  for (const { id } of [project, archived, below, alone]) expect((await read(`/projects/${id}`)).marked_for_deletion_on).not.toBeNull()
  // Nothing comes in that would be deleted soon.
  expect((await forge.as(owner).post('/projects', { name: 'Late', namespace_id: subgroup.id })).status).toBe(400)
  expect((await forge.as(owner).post('/groups', { name: 'Late', path: 'late', parent_id: subgroup.id })).status).toBe(400)

  expect((await forge.as(owner).post(`/groups/${group.id}/restore`)).status).toBe(201)
  for (const { id } of [group, subgroup]) expect((await read(`/groups/${id}`)).marked_for_deletion_on).toBeNull()
  const states = await Promise.all([project, archived, below, alone].map(({ id }) => read(`/projects/${id}`)))
  expect(states.map(({ archived: is, marked_for_deletion_on: on }) => [is, on !== null])).toEqual([
    [false, false],
    [true, false],
    [false, false],
    [true, true],
  ])
  await forge.as(owner).delete(`/groups/${group.id}`)
  await removeDue(forge.app, inDays(8))
  expect((await forge.as(owner).get(`/groups/${subgroup.id}`)).status).toBe(404)
  expect((await forge.as(owner).get(`/projects/${below.id}`)).status).toBe(404)
})

test('a project or group marked for deletion is removed for good by a second request that repeats its path', async () => {
  await keepFor(7)
  const { group, project } = await places()
  for (const [at, full_path] of [
    [`/projects/${project.id}`, project.full_path],
    [`/groups/${group.id}`, group.full_path],
  ] as const) {
    const remove = (path: string) => forge.as(owner).delete(`${at}?permanently_remove=true&full_path=${encodeURIComponent(path)}`)
    expect((await remove(full_path)).status).toBe(400)
    await forge.as(owner).delete(at)
    expect((await remove('another/path')).status).toBe(400)
    expect((await remove(full_path)).status).toBe(202)
    expect((await forge.as(owner).get(at)).status).toBe(404)
  }
})

test(
  'a project that is restored while it is due is either there or gone, and nothing of it is half there',
  onPostgresAlone('1 s of processor.'),
  async () => {
    await keepFor(7)
    for (let round = 0; round < 5; round += 1) {
      const { project } = await places()
      await forge.as(owner).delete(`/projects/${project.id}`)
      const [restored] = await Promise.allSettled([restoreProject(forge.app, project.id), removeDue(forge.app, inDays(8))])
      const { status, body } = await forge.as(owner).get(`/projects/${project.id}`)
      expect(restored.status === 'fulfilled' ? [status, body.marked_for_deletion_on] : [status]).toEqual(
        restored.status === 'fulfilled' ? [200, null] : [404],
      )
    }
  },
)

test('the setting takes whole days up to 90', async () => {
  for (const days of [-1, 91, 1.5, 'many']) {
    const { status } = await forge.as(forge.root).put('/application/settings', { deletion_adjourned_period: days })
    expect([days, status]).toEqual([days, 400])
  }
})
