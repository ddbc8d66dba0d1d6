/** Lists of a user's, a project's and a namespace's related things, in the form that today's clients expect, with their filters. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

const ids = async (path: string, user = owner) => (await forge.as(user).get(path)).body.map(({ id }: { id: number }) => id)
const refused = async (path: string, user = owner) => {
  const { status, body } = await forge.as(user).get(path)
  return [status, body]
}

test('the groups of a project are those above it and, with_shared, those it is shared with', async () => {
  const top = await forge.group({ owner, name: 'B Top' })
  const group = await forge.group({ parent: top, name: 'A Group' })
  const project = await forge.project({ group, files: null })
  const other = await forge.group({ guest: owner, name: 'C Other' })
  const hidden = await forge.group()
  for (const { id } of [other, hidden]) await forge.as(forge.root).post(`/projects/${project.id}/share`, { group_id: id, group_access: 20 })
  const at = `/projects/${project.id}/groups`
  const { body } = await forge.as(owner).get(at)
  expect(body).toEqual([
    {
      id: group.id,
      web_url: `http://gitstead.test/groups/${group.full_path}`,
      name: 'A Group',
      avatar_url: null,
      full_name: 'B Top / A Group',
      full_path: group.full_path,
    },
    expect.objectContaining({ id: top.id, full_name: 'B Top' }),
  ])
  expect(await ids(`${at}?with_shared=true`)).toEqual([group.id, top.id, other.id])
  expect(await ids(`${at}?with_shared=true&shared_min_access_level=30`)).toEqual([group.id, top.id])
  expect(await ids(`${at}?with_shared=true&search=oth`)).toEqual([other.id])
  expect(await ids(`${at}?skip_groups[]=${top.id}`)).toEqual([group.id])
  expect(await ids(`${at}?with_shared=true`, forge.root)).toContain(hidden.id)
  expect(await refused(`${at}?shared_min_access_level=1`)).toEqual([400, { error: 'shared_min_access_level does not have a valid value' }])
  expect((await forge.as(await forge.user()).get(at)).status).toBe(404)
  expect(await ids(`/projects/${(await forge.project({ owner, files: null })).id}/groups`)).toEqual([])

  const invited = `/projects/${project.id}/invited_groups`
  expect(await ids(invited)).toEqual([other.id])
  expect(await ids(invited, forge.root)).toEqual([hidden.id, other.id].sort((one, two) => (one === other.id ? -1 : two - one)))
  expect(await ids(`${invited}?min_access_level=30`)).toEqual([])
  expect(await ids(`${invited}?search=none`)).toEqual([])
  expect(await ids(`/groups/${other.id}/projects/shared`)).toEqual([project.id])
  expect(await ids(`/groups/${other.id}/projects/shared?archived=true`)).toEqual([])
  expect(await ids(`/groups/${top.id}/projects/shared`)).toEqual([])
})

test('the starrers of a project are listed with the day of their star; those with a private profile for themselves', async () => {
  const project = await forge.project({ owner, visibility: 'public', files: null })
  const [fan, shy] = [await forge.user({ name: 'Fan' }), await forge.user({ private_profile: true })]
  for (const user of [fan, shy]) await forge.as(user).post(`/projects/${project.id}/star`)
  const at = `/projects/${project.id}/starrers`
  const found = async (client: Forge['anonymous'], query = '') =>
    (await client.get(at + query)).body.map(({ user }: { user: { id: number } }) => user.id)
  const { body } = await forge.anonymous.get(at)
  expect(body).toEqual([
    { starred_since: expect.stringMatching(/^\d{4}-.*Z$/), user: expect.objectContaining({ id: fan.id, name: 'Fan' }) },
  ])
  expect((await found(forge.as(shy))).sort()).toEqual([fan.id, shy.id].sort())
  expect((await found(forge.as(forge.root))).sort()).toEqual([fan.id, shy.id].sort())
  expect(await found(forge.as(forge.root), '?search=fan')).toEqual([fan.id])
  expect((await forge.anonymous.get('/projects/999999999/starrers')).status).toBe(404)
})

test('administrators see where a project is stored, and its sizes', async () => {
  const project = await forge.project({ owner })
  await forge.app.db.updateTable('projects').set({ repository_size: 70, lfs_objects_size: 30 }).where('id', '=', project.id).execute()
  const at = `/projects/${project.id}/storage`
  const { body } = await forge.as(forge.root).get(at)
  expect(body).toEqual({
    project_id: project.id,
    disk_path: expect.stringMatching(/^repositories\/[\w/]+$/),
    created_at: expect.any(String),
    repository_storage: 'default',
    repository_size: 70,
    lfs_objects_size: 30,
    storage_size: 100,
    repository_size_limit: null,
  })
  expect(project.dir).toContain(body.disk_path)
  expect((await forge.as(owner).get(at)).status).toBe(403)
})

test('the memberships of a user are listed for administrators, of one type or of both', async () => {
  const user = await forge.user()
  const group = await forge.group({ reporter: user })
  const project = await forge.project({ developer: user, files: null })
  await forge
    .group({ guest: user })
    .then(({ id }) =>
      forge.app.db
        .updateTable('members')
        .set({ expires_at: '2020-01-01' })
        .where('namespace_id', '=', id)
        .where('user_id', '=', user.id)
        .execute(),
    )
  const at = `/users/${user.id}/memberships`
  const ofGroup = { source_id: group.id, source_name: group.name, source_type: 'Namespace', access_level: 20 }
  const ofProject = { source_id: project.id, source_name: project.name, source_type: 'Project', access_level: 30 }
  const get = async (query = '') => (await forge.as(forge.root).get(at + query)).body
  expect(await get()).toEqual([ofGroup, ofProject])
  expect(await get('?type=Project')).toEqual([ofProject])
  expect(await get('?type=Namespace')).toEqual([ofGroup])
  expect(await refused(`${at}?type=Group`, forge.root)).toEqual([400, { error: 'type does not have a valid value' }])
  expect((await forge.as(user).get(at)).status).toBe(403)
  expect((await forge.as(forge.root).get('/users/999999999/memberships')).status).toBe(404)
})

test('a member inherited from above is found, and lists of members are filtered by user', async () => {
  const [above, own] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner, developer: above })
  const project = await forge.project({ group, files: null, reporter: own })
  const at = `/projects/${project.id}/members`
  const { body } = await forge.as(owner).get(`${at}/all/${above.id}`)
  expect(body).toMatchObject({
    id: above.id,
    access_level: 30,
    expires_at: null,
    membership_state: 'active',
    created_at: expect.any(String),
  })
  expect((await forge.as(owner).get(`${at}/${above.id}`)).status).toBe(404)
  expect(await refused(`${at}/all/${(await forge.user()).id}`)).toEqual([404, { message: '404 Not found' }])
  expect(await refused(`${at}/all/x`)).toEqual([400, { error: 'user_id is invalid' }])
  expect(await ids(`${at}?user_ids[]=${own.id}&user_ids[]=${above.id}`)).toEqual([own.id])
  expect((await ids(`${at}/all?user_ids[]=${own.id}&user_ids[]=${above.id}`)).sort()).toEqual([above.id, own.id].sort())
  expect(await ids(`${at}?skip_users[]=${own.id}`)).not.toContain(own.id)
  expect(await ids(`${at}?user_ids[]=999999999`)).toEqual([])
  expect(await refused(`${at}?user_ids[]=x`)).toEqual([400, { error: 'user_ids[0] is invalid' }])
})

test('whether a namespace exists is answered with a free path like it', async () => {
  const group = await forge.group({ owner, path: 'taken' })
  await forge.group({ path: 'taken1' })
  await forge.group({ parent: group, path: 'inner' })
  const get = async (path: string, query = '') => (await forge.as(owner).get(`/namespaces/${encodeURIComponent(path)}/exists${query}`)).body
  expect(await get('Taken')).toEqual({ exists: true, suggests: ['Taken2'] })
  expect(await get(owner.username)).toMatchObject({ exists: true })
  expect(await get('taken/inner')).toMatchObject({ exists: true })
  expect(await get('inner')).toEqual({ exists: false, suggests: [] })
  expect(await get('inner', `?parent_id=${group.id}`)).toEqual({ exists: true, suggests: ['inner1'] })
  expect(await get('a\u0000b')).toEqual({ exists: false, suggests: [] })
  expect(await get('../x')).toEqual({ exists: false, suggests: [] })
  expect(await refused(`/namespaces/x/exists?parent_id=${(await forge.group()).id}`)).toEqual([404, { message: '404 Group Not Found' }])
  expect(await refused('/namespaces/x/exists?parent_id=y')).toEqual([400, { error: 'parent_id is invalid' }])
  expect((await forge.anonymous.get('/namespaces/taken/exists')).status).toBe(401)
})

test('groups are listed without subgroups, below one at any depth, and by visibility', async () => {
  const user = await forge.user()
  const top = await forge.group({ owner: user, visibility: 'public' })
  const inner = await forge.group({ parent: top, visibility: 'internal' })
  const deep = await forge.group({ parent: inner })
  expect(await ids('/groups?top_level_only=true', user)).toEqual([top.id])
  expect(await ids('/groups?visibility=internal', user)).toEqual([inner.id])
  expect((await ids(`/groups/${top.id}/descendant_groups`, user)).sort()).toEqual([inner.id, deep.id].sort())
  expect(await ids(`/groups/${top.id}/descendant_groups?skip_groups[]=${inner.id}`, user)).toEqual([deep.id])
  expect((await forge.anonymous.get(`/groups/${top.id}/descendant_groups`)).body).toEqual([])
  expect(await refused('/groups?visibility=x')).toEqual([400, { error: 'visibility does not have a valid value' }])
})

test('projects are listed by number, by their last activity, and in the groups below', async () => {
  const user = await forge.user()
  const top = await forge.group({ owner: user })
  const inner = await forge.group({ parent: top })
  const [one, two, three] = [
    await forge.project({ group: top, files: null }),
    await forge.project({ group: inner, files: null }),
    await forge.project({ group: inner, files: null }),
  ]
  const at = (id: number, last_activity_at: string) =>
    forge.app.db.updateTable('projects').set({ last_activity_at }).where('id', '=', id).execute()
  await at(one.id, '2020-01-01T00:00:00.000Z')
  await at(two.id, '2021-01-01T00:00:00.000Z')
  const list = (query: string) => ids(`/projects?order_by=id&sort=asc&membership=true&${query}`, user)
  expect(await list(`id_after=${one.id}`)).toEqual([two.id, three.id])
  expect(await list(`id_before=${three.id}&id_after=${one.id}`)).toEqual([two.id])
  expect(await list('last_activity_before=2020-06-01T00:00:00Z')).toEqual([one.id])
  expect(await list('last_activity_after=2020-06-01T00:00:00Z&last_activity_before=2022-01-01')).toEqual([two.id])
  expect((await ids(`/groups/${top.id}/projects?include_subgroups=true`, user)).sort()).toEqual([one.id, two.id, three.id].sort())
  expect(await ids(`/groups/${top.id}/projects`, user)).toEqual([one.id])
  const shared = await forge.project({ owner: user, files: null })
  await forge.as(user).post(`/projects/${shared.id}/share`, { group_id: top.id, group_access: 20 })
  expect((await ids(`/groups/${top.id}/projects`, user)).sort()).toEqual([one.id, shared.id].sort())
  expect(await ids(`/groups/${top.id}/projects?with_shared=false`, user)).toEqual([one.id])
  for (const wrong of ['id_after=x', 'id_before=-1', 'last_activity_after=soon'])
    expect((await forge.as(user).get(`/projects?${wrong}`)).status).toBe(400)
})

test('users are filtered by what administrators may see', async () => {
  const external = await forge.user({ external: true })
  const found = async (query: string) => (await ids(`/users?per_page=100&${query}`, forge.root)) as number[]
  expect(await found('admins=true')).toEqual([forge.root.id])
  expect(await found('exclude_external=true')).not.toContain(external.id)
  expect((await forge.as(owner).get('/users?admins=true')).status).toBe(403)
})
