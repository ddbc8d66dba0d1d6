/** Archived groups: read-only with everything below them, and afterwards what they were. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { findProject } from '../../../access/find.ts'

let forge: Forge
let owner: TestUser
const password = 'correct horse battery'

beforeAll(async () => {
  forge = await openForge()
  owner = await forge.user({ password })
})

const as = (user: TestUser) => forge.as(user)
const post = (path: string, body?: object) => as(owner).post(path, body)
const read = async (path: string) => (await as(owner).get(path)).body
const archivedOf = async (...paths: string[]) => Promise.all(paths.map(async (path) => (await read(path)).archived))

/** A group with a project, an archived one, and another in a subgroup. */
async function places() {
  const group = await forge.group({ owner })
  const subgroup = await forge.group({ parent: group })
  const [project, own, below] = [await forge.project({ group }), await forge.project({ group }), await forge.project({ group: subgroup })]
  await post(`/projects/${own.id}/archive`)
  const all = [`/groups/${group.id}`, `/groups/${subgroup.id}`, ...[project, own, below].map(({ id }) => `/projects/${id}`)]
  return { group, subgroup, project, own, below, all }
}

test('an archived group is archived with all below it, and unarchived without what was archived by itself', async () => {
  const { group, subgroup, project, own, all } = await places()
  const maintainer = await forge.user()
  await post(`/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 })
  expect((await as(maintainer).post(`/groups/${group.id}/archive`)).status).toBe(403)
  const archived = await post(`/groups/${group.id}/archive`)
  expect([archived.status, archived.body.archived]).toEqual([201, true])
  expect(await archivedOf(...all)).toEqual([true, true, true, true, true])
  expect((await post(`/groups/${group.id}/archive`)).status).toBe(422)
  expect((await post(`/groups/${subgroup.id}/unarchive`)).status).toBe(422)
  for (const { id } of [project, own]) expect((await post(`/projects/${id}/unarchive`)).status).toBe(400)
  // By itself from now on.
  expect((await post(`/projects/${project.id}/archive`)).status).toBe(201)
  expect((await post(`/groups/${group.id}/unarchive`)).body.archived).toBe(false)
  expect(await archivedOf(...all)).toEqual([false, false, true, true, false])
  expect((await post(`/groups/${group.id}/unarchive`)).status).toBe(422)
})

test('a subgroup that was archived by itself stays archived, with what is in it', async () => {
  const { group, subgroup, all } = await places()
  expect((await post(`/groups/${subgroup.id}/archive`)).status).toBe(201)
  expect(await archivedOf(...all)).toEqual([false, true, false, true, true])
  await post(`/groups/${group.id}/archive`)
  expect((await post(`/groups/${subgroup.id}/unarchive`)).status).toBe(422)
  await post(`/groups/${group.id}/unarchive`)
  expect(await archivedOf(...all)).toEqual([false, true, false, true, true])
  await post(`/groups/${subgroup.id}/unarchive`)
  expect(await archivedOf(...all)).toEqual([false, false, false, true, false])
})

test('what is marked for deletion comes back as its group is by then', async () => {
  await as(forge.root).put('/application/settings', { deletion_adjourned_period: 7 })
  const { group, project, below } = await places()
  await as(owner).delete(`/projects/${project.id}`)
  await post(`/groups/${group.id}/archive`)
  await as(owner).delete(`/projects/${below.id}`)
  expect((await post(`/projects/${project.id}/restore`)).body.archived).toBe(true)
  await post(`/groups/${group.id}/unarchive`)
  expect(await archivedOf(`/projects/${project.id}`, `/projects/${below.id}`)).toEqual([false, true])
  expect((await post(`/projects/${below.id}/restore`)).body.archived).toBe(false)
  await as(forge.root).put('/application/settings', { deletion_adjourned_period: 0 })
})

test('nothing in it changes, and nothing comes in or leaves', async () => {
  const { group, subgroup, project } = await places()
  const elsewhere = await forge.group({ owner })
  const free = await forge.project({ group: elsewhere })
  await post(`/groups/${group.id}/archive`)
  const file = { branch: 'main', content: 'x', commit_message: 'Add' }
  expect((await post(`/projects/${project.id}/repository/files/new.txt`, file)).status).toBe(403)
  expect((await post(`/projects/${project.id}/labels`, { name: 'bug', color: '#112233' })).status).toBe(403)
  for (const id of [group.id, subgroup.id]) {
    expect((await post(`/groups/${id}/labels`, { name: 'bug', color: '#112233' })).status).toBe(403)
    expect((await post(`/groups/${id}/wikis`, { title: 'Page', content: 'x' })).status).toBe(403)
    expect((await post(`/groups/${id}/milestones`, { title: 'Soon' })).status).toBe(403)
    expect((await post(`/groups/${id}/variables`, { key: 'KEY', value: 'v' })).status).toBe(403)
    expect((await post('/groups', { name: 'Under', path: 'under', parent_id: id })).status).toBe(400)
    expect((await post('/projects', { name: 'New', namespace_id: id })).status).toBe(400)
    expect((await as(forge.root).post(`/groups/${id}/projects/${free.id}`)).status).toBe(400)
    expect((await post(`/groups/${elsewhere.id}/transfer`, { group_id: id })).status).toBe(400)
    expect((await post(`/projects/${free.id}/fork`, { namespace: id })).status).toBe(404)
  }
  expect((await as(forge.root).post(`/groups/${elsewhere.id}/projects/${project.id}`)).status).toBe(400)
  expect((await post(`/groups/${subgroup.id}/transfer`, { group_id: elsewhere.id })).status).toBe(400)
  expect((await read(`/projects/${project.id}`)).namespace.id).toBe(group.id)
})

test('lists are filtered by it, and a check of access costs no more', async () => {
  const { group, subgroup, project } = await places()
  const other = await forge.group({ parent: subgroup })
  const listed = async (query: string) => (await read(`/groups/${group.id}/descendant_groups?${query}`)).map(({ id }: { id: number }) => id)
  const look = () => findProject(forge.app.db, String(project.id), owner)
  const before = await forge.cost(look)
  await post(`/groups/${other.id}/archive`)
  expect([await listed('archived=true'), await listed('archived=false')]).toEqual([[other.id], [subgroup.id]])
  expect([await listed('active=true'), await listed('active=false')]).toEqual([[subgroup.id], [other.id]])
  expect(new Set(await listed(''))).toEqual(new Set([subgroup.id, other.id]))
  await post(`/groups/${group.id}/archive`)
  expect(await forge.cost(look)).toEqual(before)
  expect(await listed('active=true')).toEqual([])
})

test('pages say so, and offer nothing that would change it', async () => {
  const { group, project } = await places()
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: owner.username, password })
  const at = `/groups/${group.full_path}`
  expect((await me.submit(`${at}/-/edit`, `${at}/-/archive`)).location).toBe(at)
  const shown = await me.get(at)
  expect([shown.status, readDocument(shown.text).faults]).toEqual([200, []])
  for (const words of ['This group is archived', '>archived</span>', '<span>1 project</span>', project.path])
    expect(shown.text).toContain(words)
  expect(shown.text).not.toContain('New subgroup')
  expect((await me.get(`/${project.full_path}`)).text).toContain('archived with its group')
  expect((await me.get(`/${project.full_path}/edit`)).text).not.toContain('Unarchive the project')
  expect((await me.get(`${at}/-/labels`)).text).not.toContain('New label')
  expect((await me.get('/projects/new')).text).not.toContain(`>${group.full_path}<`)
  const settings = await me.get(`${at}/-/edit`)
  expect([settings.status, readDocument(settings.text).faults]).toEqual([200, []])
  expect((await me.submit(`${at}/-/edit`, `${at}/-/unarchive`)).location).toBe(at)
  expect((await me.get(at)).text).toContain('New subgroup')
})
