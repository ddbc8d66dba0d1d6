/** Lists of projects by whose they are, and what the full form tells of others without giving them away. */
import { beforeAll, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, openForge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ username: 'owner' })
})

const paths = (body: Array<{ path: string }>) => body.map(({ path }) => path).sort()

test('the projects of a user are those in the personal namespace that the caller sees; none if the profile is private', async () => {
  const lister = await forge.user({ username: 'lister' })
  const group = await forge.group({ owner: lister, visibility: 'public' })
  await forge.project({ group, visibility: 'public', files: null })
  for (const visibility of ['private', 'internal', 'public'] as const) {
    await forge.project({ owner: lister, path: `a-${visibility}`, visibility, files: null })
  }
  const all = ['a-internal', 'a-private', 'a-public']
  for (const [client, expected] of [
    [forge.as(lister), all],
    [forge.as(forge.root), all],
    [forge.as(owner), ['a-internal', 'a-public']],
    [forge.as(await forge.user({ external: true })), ['a-public']],
    [forge.anonymous, ['a-public']],
  ] as const) {
    for (const user of [lister.id, 'LISTER']) {
      const { status, body } = await client.get(`/users/${user}/projects`)
      expect([status, paths(body)]).toEqual([200, expected])
    }
  }
  expect((await forge.anonymous.get('/users/lister/projects')).body[0]).not.toHaveProperty('visibility')
  expect(paths((await forge.as(lister).get('/users/lister/projects?visibility=internal&simple=true')).body)).toEqual(['a-internal'])
  await forge.as(forge.root).put(`/users/${lister.id}`, { private_profile: true })
  const seen = await Promise.all([lister, forge.root, owner].map(async (user) => (await forge.as(user).get('/users/lister/projects')).body))
  expect([...seen, (await forge.anonymous.get('/users/lister/projects')).body].map((body) => body.length)).toEqual([3, 3, 0, 0])
  const nobody = await forge.as(owner).get('/users/nobody-here/projects')
  expect([nobody.status, nobody.body]).toEqual([404, { message: '404 User Not Found' }])
})

test('the projects a user has starred or pushed to are listed for those who see them, unless the profile is private', async () => {
  const fan = await forge.user()
  const mine = { owner: fan, path: 'pushed-to', visibility: 'public' } as const
  const pushed = await forge.project(mine)
  await forge
    .as(fan)
    .post(`/projects/${pushed.id}/repository/files/new`, { branch: 'new', start_branch: 'main', content: 'x', commit_message: 'x' })
  for (const visibility of ['private', 'public'] as const) {
    const starred = await forge.project({ owner, path: `starred-${visibility}`, visibility, reporter: fan, files: null })
    await forge.as(fan).post(`/projects/${starred.id}/star`)
  }
  await forge.drain()
  const seen = async (client: typeof forge.anonymous) =>
    Promise.all(['starred', 'contributed'].map(async (tie) => paths((await client.get(`/users/${fan.id}/${tie}_projects`)).body)))
  expect(await seen(forge.as(fan))).toEqual([['starred-private', 'starred-public'], ['pushed-to']])
  expect(await seen(forge.anonymous)).toEqual([['starred-public'], ['pushed-to']])
  await forge.as(forge.root).put(`/users/${fan.id}`, { private_profile: true })
  expect(await seen(forge.anonymous)).toEqual([[], []])
  expect(await seen(forge.as(fan))).toEqual([['starred-private', 'starred-public'], ['pushed-to']])
})

test('a search finds every word in one of the three texts, and quoted words together', async () => {
  const of = { owner, files: null }
  await forge.project({ ...of, path: 'zebra-one', name: 'Striped zebra runs' })
  await forge.project({ ...of, path: 'zebra-two', name: 'zebra striped in X' })
  const find = async (search: string) => paths((await forge.as(owner).get(`/projects?search=${encodeURIComponent(search)}`)).body)
  expect(await find('striped zebra')).toEqual(['zebra-one', 'zebra-two'])
  expect(await find('"striped zebra"')).toEqual(['zebra-one'])
  expect(await find('ZEBRA runs in')).toEqual(['zebra-one'])
  expect(await find('zebra lion')).toEqual([])
})

test('a project’s fields follow changes in other tables', async () => {
  const project = await forge.project({ owner: await forge.user(), files: null })
  const asRoot = forge.as(forge.root)
  const look = async () => (await asRoot.get(`/projects/${project.id}?with_custom_attributes=true`)).body
  const before = await look()
  expect(before.custom_attributes).toEqual([])
  await asRoot.put(`/projects/${project.id}/custom_attributes/team`, { value: 'green' })
  expect((await look()).custom_attributes).toEqual([{ key: 'team', value: 'green' }])
  await asRoot.put(`/users/${before.owner.id}`, { name: 'Ada Renamed' })
  const after = await look()
  expect([after.owner.name, after.name_with_namespace]).toEqual(['Ada Renamed', `Ada Renamed / ${after.name}`])
})

test('custom attributes are shown to administrators and filter for them alone', async () => {
  const project = await forge.project({ owner, path: 'noted', visibility: 'public', files: null })
  await forge.as(forge.root).put(`/projects/${project.id}/custom_attributes/team`, { value: 'blue' })
  const noted = [{ key: 'team', value: 'blue' }]
  const filtered = await forge.as(forge.root).get('/projects?custom_attributes[team]=blue&with_custom_attributes=true')
  expect(filtered.body).toMatchObject([{ path: 'noted', custom_attributes: noted }])
  expect((await forge.as(forge.root).get('/projects?custom_attributes[team]=red')).body).toEqual([])
  const alone = (user: TestUser) => forge.as(user).get(`/projects/${project.id}?with_custom_attributes=true`)
  expect((await alone(forge.root)).body.custom_attributes).toEqual(noted)
  expect((await alone(owner)).body).not.toHaveProperty('custom_attributes')
  expect((await forge.as(owner).get('/projects?custom_attributes[team]=red')).body.length).toBeGreaterThan(0)
})

test('a search with very many words is answered, and with more gets 400', async () => {
  const words = Array.from({ length: 500 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(' ')

  const answers = [
    await forge.as(owner).get(`/projects?search=${encodeURIComponent(words)}`),
    await forge.as(owner).get(`/projects?search=${'ab+'.repeat(333)}`),
    await forge.anonymous.get(`/projects?search=${'a+b+'.repeat(1_000)}`),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
})

test('a fork names its source, and a project its shared groups, to those who can see them', async () => {
  const stranger = await forge.user()
  const source = await forge.project({ owner, visibility: 'internal', files: null })
  const fork = await forge.project({ owner, visibility: 'internal', files: null })
  await forge.as(owner).post(`/projects/${fork.id}/fork/${source.id}`)
  const [open, closed] = [await forge.group({ visibility: 'internal', owner }), await forge.group({ owner })]
  for (const { id } of [open, closed]) await forge.as(owner).post(`/projects/${fork.id}/share`, { group_id: id, group_access: 20 })
  const look = async (user: TestUser) => (await forge.as(user).get(`/projects/${fork.id}`)).body
  const share = (group: typeof open) => ({ group_id: group.id, group_name: group.name, group_access_level: 20, expires_at: null })
  expect((await look(owner)).shared_with_groups).toEqual([share(open), share(closed)])
  expect((await look(stranger)).shared_with_groups).toEqual([share(open)])
  expect((await look(stranger)).forked_from_project).toMatchObject({ id: source.id, path_with_namespace: source.full_path })
  await forge.app.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', source.id).execute()
  expect(await look(stranger)).not.toHaveProperty('forked_from_project')
  expect((await look(owner)).forked_from_project.id).toBe(source.id)
})

test('a fork may not be more open than its source, and becomes less open with it', async () => {
  const source = await forge.project({ owner, visibility: 'public', files: null })
  const [fork, second] = [await forge.project({ owner, visibility: 'public' }), await forge.project({ owner, visibility: 'public' })]
  await forge.as(owner).post(`/projects/${fork.id}/fork/${source.id}`)
  await forge.as(owner).post(`/projects/${second.id}/fork/${fork.id}`)
  const put = (id: number, visibility: string) => forge.as(owner).put(`/projects/${id}`, { visibility })
  expect((await put(source.id, 'internal')).status).toBe(200)
  const seen = async (id: number) => (await forge.as(owner).get(`/projects/${id}`)).body.visibility
  expect([await seen(fork.id), await seen(second.id)]).toEqual(['internal', 'internal'])
  const refused = await put(fork.id, 'public')
  const said = 'public is not allowed since the fork source project has lower visibility.'
  expect([refused.status, refused.body]).toEqual([400, { message: { visibility_level: [said] } }])
  expect(await seen(fork.id)).toBe('internal')
})

test('an avatar comes with a form, is shown, and goes by an empty field', async () => {
  const { payload, headers } = asForm({ name: 'With face', avatar: onePixel })
  const { status, body } = await forge.as(owner).post('/projects', payload, { headers })
  const address = `http://gitstead.test/uploads/-/system/project/avatar/${body.id}/file.png`
  expect([status, body.avatar_url]).toEqual([201, address])
  const bad = asForm({ name: 'No face', avatar: Buffer.from('<svg onload="alert(1)"/>') })
  const refused = await forge.as(owner).post('/projects', bad.payload, { headers: bad.headers })
  expect([refused.status, Object.keys(refused.body.message)]).toEqual([400, ['avatar']])
  expect((await forge.as(owner).get('/projects?search=no-face')).body).toEqual([])
  expect((await forge.as(owner).put(`/projects/${body.id}`, { avatar: '' })).body.avatar_url).toBe(null)
})

test('instance settings give the default visibility and CI path, and restrict visibility levels', async () => {
  const own = await openForge()
  const user = await own.user()
  const [open, closed] = [await own.group({ owner: user, visibility: 'public' }), await own.group({ owner: user })]
  const settings = { default_project_visibility: 'internal', restricted_visibility_levels: ['public'], shared_runners_enabled: false }
  expect((await own.as(own.root).put('/application/settings', settings)).status).toBe(200)
  const make = (who: TestUser, body: object) => own.as(who).post('/projects', body)
  expect((await make(user, { name: 'a', namespace_id: open.id })).body).toMatchObject({
    visibility: 'internal',
    shared_runners_enabled: false,
  })
  expect((await make(user, { name: 'r', shared_runners_enabled: true })).body.shared_runners_enabled).toBe(true)
  expect((await make(user, { name: 'a', namespace_id: closed.id })).body.visibility).toBe('private')
  const said = { message: { visibility_level: ['public has been restricted by your administrator'] } }
  const [refused, { body: mine }] = [await make(user, { name: 'b', visibility: 'public' }), await make(user, { name: 'c' })]
  const changed = await own.as(user).put(`/projects/${mine.id}`, { visibility: 'public' })
  expect([refused.status, refused.body, changed.status, changed.body]).toEqual([400, said, 400, said])
  expect((await make(own.root, { name: 'b', visibility: 'public' })).status).toBe(201)
})
