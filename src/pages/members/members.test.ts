/** The members page of a project: who sees and changes what, by the same rules as the API. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject
let base: string

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password, name: 'Ada' })
  guest = await forge.user({ password, name: 'Guest <b>\u202e' })
  stranger = await forge.user({ password, name: 'Stranger' })
  project = await forge.project({ owner, guest, visibility: 'public', files: null })
  await forge.app.db.updateTable('projects').set({ request_access_enabled: true }).where('id', '=', project.id).execute()
  base = `/${project.full_path}/project_members`
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '' })).status).toBe(303)
  return me
}

/** The token of any form: to try what the page doesn't offer. */
async function tokenOf(me: Browser): Promise<string> {
  return /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
}

const levelOf = async (user: TestUser) =>
  (await forge.as(forge.root).get(`/projects/${project.id}/members/${user.id}`)).body.access_level as number | undefined

test('who manages the project adds a member by username or address, changes the role and removes them', async () => {
  const me = await signedIn(owner)
  const page = await me.get(base)
  expect(readDocument(page.text).faults).toEqual([])
  expect(page.text).not.toContain('<b>\u202e')
  const made = await me.submit(base, base, { user: `@${stranger.username.toUpperCase()}`, access_level: '30', expires_at: '2999-01-01' })
  expect([made.status, made.location]).toEqual([303, base])
  expect((await me.get(base)).text).toContain('Stranger is now a member')
  expect(await levelOf(stranger)).toBe(30)
  const at = `${base}/${stranger.id}`
  expect((await me.submit(base, at, { access_level: '20', expires_at: '' })).status).toBe(303)
  expect(await levelOf(stranger)).toBe(20)
  expect((await me.submit(base, `${at}/remove`)).status).toBe(303)
  expect(await levelOf(stranger)).toBeUndefined()
  // Addresses are found by those who may know them.
  expect((await me.submit(base, base, { user: stranger.email, access_level: '10' })).status).toBe(422)
  const root = await signedIn(forge.root)
  expect((await root.submit(base, base, { user: stranger.email, access_level: '10' })).status).toBe(303)
  await me.submit(base, `${at}/remove`)
})

test('part of a name offers those who match; nobody, a wrong role and a wrong day are errors, and the text is kept', async () => {
  const me = await signedIn(owner)
  const several = await me.submit(base, base, { user: 'Strang', access_level: '20' })
  expect([several.status, readDocument(several.text).faults]).toEqual([422, []])
  expect(several.text).toContain('matches several people')
  expect(several.text).toContain(`name="user" value="${stranger.username}"`)
  expect(several.text).toContain('value="Strang"')
  const nobody = await me.submit(base, base, { user: 'no such <person>', access_level: '20' })
  expect([nobody.status, nobody.text.includes('matches nobody'), nobody.text.includes('<person>')]).toEqual([422, true, false])
  expect((await me.submit(base, base, { user: stranger.username, access_level: '50' })).text).toContain('is not included in the list')
  expect((await me.submit(base, base, { user: stranger.username, access_level: '20', expires_at: 'soon' })).status).toBe(422)
  expect((await me.submit(base, base, { user: guest.username, access_level: '20' })).status).toBe(409)
  expect(await levelOf(stranger)).toBeUndefined()
})

test('others see the list and may only leave; their forms for others are refused', async () => {
  const me = await signedIn(guest)
  const { text } = await me.get(base)
  expect(text).toContain('Leave')
  expect(text).not.toContain(`action="${base}"><input`)
  const form_token = await tokenOf(me)
  for (const [path, fields] of [
    ['', { user: stranger.username, access_level: '30' }],
    [`/${owner.id}`, { access_level: '10' }],
    [`/${owner.id}/remove`, {}],
    ['/groups', { group: 'x', access_level: '10' }],
    ['/import', { source: 'x' }],
  ] as Array<[string, Record<string, string>]>) {
    expect([path, (await me.post(base + path, { form_token, ...fields })).status]).toEqual([path, 403])
  }
  expect((await me.submit(base, `${base}/${guest.id}/remove`)).location).toBe('/dashboard/projects')
  expect(await levelOf(guest)).toBeUndefined()
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
})

test('a non-member requests access, withdraws the request, and is approved or denied', async () => {
  const [me, manager] = [await signedIn(stranger), await signedIn(owner)]
  const form_token = await tokenOf(me)
  const request = () => me.post(`${base}/request_access`, { form_token })
  const own = `${base}/requests/${stranger.id}`
  expect((await request()).location).toBe(`/${project.full_path}`)
  expect((await request()).status).toBe(400)
  expect((await me.post(`${own}/approve`, { form_token, access_level: '40' })).status).toBe(403)
  expect((await me.post(`${own}/deny`, { form_token })).status).toBe(303)
  await request()
  expect((await manager.submit(base, `${own}/deny`)).status).toBe(303)
  expect((await manager.get(base)).text).toContain(' denied</p>')
  await request()
  // Two who decide at once: one of them is told that it is gone.
  const answers = await Promise.all(
    [
      manager.submit(base, `${own}/approve`, { access_level: '20' }),
      signedIn(owner).then((other) => other.submit(base, `${own}/deny`)),
    ].map((one) => one.catch(() => ({ status: 404 }))),
  )
  expect(answers.filter(({ status }) => status === 303).length).toBe(1)
  await forge.app.db.deleteFrom('members').where('project_id', '=', project.id).where('user_id', '=', stranger.id).execute()
})

test('a project is shared with a group, with a role and an end, and no longer', async () => {
  const me = await signedIn(owner)
  const group = await forge.group({ owner: stranger, visibility: 'public', name: 'Friends' })
  const hidden = await forge.group({ visibility: 'private', name: 'Hidden' })
  for (const path of [hidden.full_path, 'no/such', '1']) {
    const refused = await me.submit(base, `${base}/groups`, { group: path, access_level: '20' })
    expect([path, refused.status, refused.text.includes('is no group that you can see')]).toEqual([path, 422, true])
  }
  expect((await me.submit(base, `${base}/groups`, { group: `/${group.full_path}/`, access_level: '20' })).status).toBe(303)
  const shares = async () => (await forge.as(owner).get(`/projects/${project.id}`)).body.shared_with_groups
  expect(await shares()).toMatchObject([{ group_id: group.id, group_access_level: 20 }])
  const at = `${base}/groups/${group.id}`
  await me.submit(base, at, { access_level: '30', expires_at: '2999-01-01' })
  expect(await shares()).toMatchObject([{ group_access_level: 30, expires_at: '2999-01-01' }])
  expect((await me.get(base)).text).toContain('Stranger')
  expect((await me.submit(base, `${at}/remove`)).status).toBe(303)
  expect(await shares()).toEqual([])
})

test('members come from another project that one can see', async () => {
  const me = await signedIn(owner)
  const ada = await forge.user()
  const [source, hidden] = [
    await forge.project({ owner, developer: ada, files: null }),
    await forge.project({ visibility: 'private', files: null }),
  ]
  expect((await me.submit(base, `${base}/import`, { source: hidden.full_path })).status).toBe(422)
  expect((await me.submit(base, `${base}/import`, { source: project.full_path })).status).toBe(422)
  expect((await me.submit(base, `${base}/import`, { source: source.full_path })).status).toBe(303)
  expect(await levelOf(ada)).toBe(30)
})

test('the list is searched, sorted and paged, at a fixed cost', async () => {
  const me = await signedIn(owner)
  const cost = () => forge.cost(() => me.get(base))
  await cost()
  const before = await cost()
  for (let index = 0; index < 55; index += 1) {
    const user = await forge.user({ name: `Zoe ${String(index).padStart(2, '0')}` })
    await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 10 })
  }
  expect(await cost()).toEqual(before)
  const first = await me.get(`${base}?search=Zoe&sort=name_desc`)
  expect(first.text).toContain('Zoe 54')
  expect(first.text).toContain('search=Zoe&amp;sort=name_desc&amp;page=2')
  expect((await me.get(`${base}?search=Zoe&sort=name_desc&page=2`)).text).toContain('Zoe 00')
  expect((await me.get(`${base}?search=nobody+like+that`)).text).toContain('No member matches')
})

test('maintainers see the members of a hidden group, but not its name', async () => {
  const maintainer = await forge.user({ password })
  const hidden = await forge.group({ owner, visibility: 'private', path: 'very-secret-place' })
  await forge.as(owner).post(`/groups/${hidden.id}/members`, { user_id: stranger.id, access_level: 30 })
  const shared = await forge.project({ group: await forge.group({ owner }), maintainer, files: null })
  expect((await forge.as(owner).post(`/projects/${shared.id}/share`, { group_id: hidden.id, group_access: 30 })).status).toBe(201)
  const at = `/${shared.full_path}/project_members`
  const { text } = await (await signedIn(maintainer)).get(at)
  expect([text.includes('Stranger'), text.includes('By a group that you can’t see'), text.includes('very-secret-place')]).toEqual([
    true,
    true,
    false,
  ])
  expect((await (await signedIn(owner)).get(at)).text).toContain('By <a href="/groups/very-secret-place">')
})
