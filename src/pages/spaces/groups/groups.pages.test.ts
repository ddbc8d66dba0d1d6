/** Pages of groups: the tree, creation, settings, and joining and leaving. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password, name: 'Ada Lovelace' })
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

/** As `submit`, with files among the fields. */
async function upload(me: Browser, page: string, action: string, fields: Record<string, string | File>) {
  const form = new FormData()
  form.set('form_token', /name="form_token" value="([^"]+)"/.exec((await me.get(page)).text)?.[1] as string)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const request = new Request('http://gitstead.test', { method: 'POST', body: form })
  const cookie = [...me.cookies].map((pair) => pair.join('=')).join('; ')
  const headers = { cookie, 'content-type': request.headers.get('content-type') as string }
  return forge.server.inject({ method: 'POST', url: action, headers, payload: Buffer.from(await request.arrayBuffer()) })
}

/** The sentences of an alert or below a field, and those of a notice. */
const errorsIn = (text: string) =>
  [...text.matchAll(/<p class="error"[^>]*>(.*?)<\/p>|role="alert"><p>(.*?)<\/p>/gs)].map(([, one, other]) => one ?? other)

test('a group shows its subgroups, then its projects, and each subgroup opens by its own page', async () => {
  const group = await forge.group({ owner, visibility: 'public', name: 'Tools' })
  const sub = await forge.group({ owner, visibility: 'public', parent: group, name: 'Hammers' })
  const hidden = await forge.group({ owner, parent: group, name: 'Secret hammers' })
  const inner = await forge.project({ group: sub, visibility: 'public', name: 'Sledge', files: null })
  await forge.project({ group, visibility: 'public', name: 'Box', files: null })
  const me = browserOf(forge.server)

  const { text } = await me.get(`/groups/${group.full_path}`)
  expect(text.indexOf('Hammers')).toBeLessThan(text.indexOf('Box'))
  expect(text).toContain('<span>0 subgroups</span><span>1 project</span>')
  expect(text).not.toContain('Secret')
  expect(text).not.toContain('Sledge')
  expect(text).toContain(`<link rel="canonical" href="http://gitstead.test/groups/${group.full_path}">`)
  expect((await me.get(`/${group.full_path}`)).text).toContain('<bdi>Hammers</bdi>')

  const level = await me.get(`/groups/${group.full_path}/-/children?parent_id=${sub.id}`)
  expect(level.text).toContain(`<a href="/${inner.full_path}"><bdi>Sledge</bdi></a>`)
  expect((await me.get(`/groups/${group.full_path}?filter=sledge`)).text).toContain(`href="/${inner.full_path}"`)
  expect((await me.get(`/groups/${group.full_path}?filter=nothing-like-it`)).text).toContain('Nothing in this group matches.')
  const elsewhere = await forge.group({ owner, visibility: 'public' })
  for (const parent of [hidden.id, elsewhere.id, 999_999_999]) {
    expect([parent, (await me.get(`/groups/${group.full_path}/-/children?parent_id=${parent}`)).status]).toEqual([parent, 404])
  }
  for (const malformed of ['', 'parent_id=', 'parent_id=x', 'parent_id=0', 'parent_id=-1', `parent_id=${sub.id}&sort=worst`]) {
    expect([malformed, (await me.get(`/groups/${group.full_path}/-/children?${malformed}`)).status]).toEqual([malformed, 400])
  }
})

test('a long tree has pages in which nothing is missing or twice, and costs what a short one costs', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const add = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1) {
      await forge.group({ owner, parent: group, visibility: 'public', name: `Sub ${String(index).padStart(2, '0')}` })
      await forge.project({ group, visibility: 'public', name: `Project ${String(index).padStart(2, '0')}`, files: null })
    }
  }
  await add(0, 1)
  const me = await signedIn(owner)
  const cost = async () => {
    await me.get(`/groups/${group.full_path}`)
    return forge.cost(() => me.get(`/groups/${group.full_path}`))
  }
  const short = await cost()
  await add(1, 15)
  expect(await cost()).toEqual(short)
  const found: string[] = []
  for (const page of [1, 2]) {
    const { text } = await me.get(`/groups/${group.full_path}?page=${page}`)
    found.push(...[...text.matchAll(/<bdi>((?:Sub|Project) \d+)<\/bdi>/g)].map(([, name]) => name as string))
  }
  const names = (kind: string) => Array.from({ length: 15 }, (_, index) => `${kind} ${String(index).padStart(2, '0')}`)
  expect(found).toEqual([...names('Sub'), ...names('Project')])
  expect((await me.get(`/groups/${group.full_path}?page=2&sort=name_desc`)).text).toContain('sort=name_desc')
})

test('a group is created at the top and below another, with its path made of the name; errors stand by their fields', async () => {
  const me = await signedIn(owner)
  const made = await me.submit('/groups/new', '/groups', {
    name: 'Böse Katzen',
    path: '',
    description: 'They *purr*',
    visibility: 'private',
  })
  expect([made.status, made.location]).toEqual([303, '/groups/bose-katzen'])
  const { text } = await me.get('/groups/bose-katzen')
  expect(text).toContain('Group Böse Katzen created')
  expect(text).toMatch(/They <em>purr<\/em>/)
  const { id } = (await forge.as(owner).get('/groups/bose-katzen')).body
  const below = await me.submit(`/groups/new?parent_id=${id}`, '/groups', { name: 'Kätzchen', path: 'kittens', visibility: 'private' })
  expect(below.location).toBe('/groups/bose-katzen/kittens')

  const taken = await me.submit('/groups/new', '/groups', { name: 'Again', path: 'bose-katzen', description: 'typed text' })
  expect([taken.status, errorsIn(taken.text)]).toEqual([422, ['Check the fields marked below.', 'Path has already been taken']])
  expect(taken.text).toContain('>\ntyped text</textarea>')
  for (const [fields, sentence] of [
    [{ name: '', path: 'x' }, /Name can&#39;t be blank/],
    [{ name: '日本', path: '' }, /Path can&#39;t be blank/],
    [{ name: '<b>x', path: 'ok-path' }, /Name can contain only letters/],
    [{ name: 'Words', path: 'admin' }, /Path admin is a reserved name/],
    [{ name: 'Words', path: 'a b' }, /Path can contain only/],
  ] as const) {
    const refused = await me.submit('/groups/new', '/groups', fields)
    expect([fields, refused.status]).toEqual([fields, 422])
    expect(errorsIn(refused.text).join('\n')).toMatch(sentence)
    expect(readDocument(refused.text).faults).toEqual([])
  }
  const open = await me.submit(`/groups/new?parent_id=${id}`, '/groups', { name: 'Open', path: 'open', visibility: 'public' })
  expect([open.status, errorsIn(open.text).join()]).toEqual([422, expect.stringContaining('public is not allowed since the parent group')])
})

test('who may not create a group is refused on the page and in the action, and anonymous visitors sign in first', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const stranger = await forge.user({ password, can_create_group: false })
  const me = await signedIn(stranger)
  expect((await me.get('/groups/new')).status).toBe(403)
  expect((await me.get(`/groups/new?parent_id=${group.id}`)).status).toBe(403)
  expect((await me.get('/dashboard/groups')).text).not.toContain('href="/groups/new"')
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  expect((await me.post('/groups', { form_token: token, name: 'Mine', path: 'mine-alone' })).status).toBe(403)
  expect((await browserOf(forge.server).get('/groups/new')).location).toBe('/users/sign_in?return_to=%2Fgroups%2Fnew')
})

test('settings change what the API changes, and are for owners', async () => {
  const member = await forge.user({ password })
  const group = await forge.group({ owner, maintainer: member, visibility: 'private', name: 'Before' })
  const address = `/groups/${group.full_path}/-/edit`
  const me = await signedIn(owner)
  const saved = await me.submit(address, address, {
    name: 'After',
    description: 'New words',
    visibility: 'internal',
    request_access_enabled: 'true',
    lfs_enabled: 'false',
  })
  expect([saved.status, saved.location]).toEqual([303, address])
  expect((await me.get(address)).text).toContain('Changes saved')
  expect((await forge.as(owner).get(`/groups/${group.id}`)).body).toMatchObject({
    name: 'After',
    description: 'New words',
    visibility: 'internal',
    request_access_enabled: true,
    lfs_enabled: false,
  })
  await forge.project({ group: { ...group, visibility: 'internal' }, visibility: 'internal', files: null })
  const closed = await me.submit(address, address, { name: 'After', visibility: 'private' })
  expect([closed.status, errorsIn(closed.text).join()]).toEqual([422, expect.stringContaining('this group contains projects with higher')])
  const theirs = await signedIn(member)
  expect((await theirs.get(address)).status).toBe(403)
  expect((await theirs.get(`/groups/${group.full_path}`)).text).not.toContain(address)
})

test('an owner exports a group and imports it below another; its storage is shown, and limited by administrators alone', async () => {
  const group = await forge.group({ owner, name: 'Packed' })
  await forge.group({ owner, parent: group, path: 'inside' })
  const settings = `/groups/${group.full_path}/-/edit`
  const address = `/groups/${group.full_path}/-/export`
  const me = await signedIn(owner)
  expect((await me.get(settings)).text).toContain(`href="${address}"`)
  expect((await me.submit(address, address, {})).location).toBe(address)
  expect((await me.get(address)).text).toContain('The archive is being made')
  await forge.drain()
  expect((await me.get(address)).text).toContain('Export again')
  const { bytes } = await forge.as(owner).get(`/groups/${group.id}/export/download`)
  expect((await me.get(`/groups/${group.full_path}/-/download_export`)).status).toBe(200)

  const form = `/groups/new?from=archive&parent_id=${group.id}`
  const shown = await me.get(form)
  expect([readDocument(shown.text).faults, shown.text.includes('type="file"')]).toEqual([[], true])
  const fileOf = (bytes: Buffer) => new File([new Uint8Array(bytes)], 'group.tar.gz')
  const parent_id = String(group.id)
  const sent = { file: fileOf(bytes), name: 'Unpacked', path: '', parent_id }
  const made = await upload(me, form, '/groups/new/archive', sent)
  expect([made.statusCode, made.headers.location]).toEqual([303, `/groups/${group.full_path}/unpacked`])
  expect((await forge.as(owner).get(`/groups/${encodeURIComponent(`${group.full_path}/unpacked/inside`)}`)).status).toBe(200)
  const again = await upload(me, form, '/groups/new/archive', sent)
  expect([again.statusCode, errorsIn(again.payload).join()]).toEqual([422, expect.stringContaining('has already been taken')])
  const broken = await upload(me, form, '/groups/new/archive', { ...sent, file: fileOf(Buffer.from('x')), path: 'broken' })
  expect([broken.statusCode, errorsIn(broken.payload).join()]).toEqual([422, expect.stringContaining('no tar.gz at all')])

  expect((await me.get(settings)).text).toContain('No limit.')
  const limits = `/groups/${group.full_path}/-/limits`
  const admin = await forge.user({ password, admin: true })
  const theirs = await signedIn(admin)
  expect((await theirs.submit(settings, limits, { storage_size_limit: '7', repository_size_limit: '' })).location).toBe(settings)
  expect((await me.get(settings)).text).toMatch(new RegExp(`The storage of ${group.full_path}: .* of 7 MB`))
  const wrong = await theirs.submit(settings, limits, { storage_size_limit: '-1', repository_size_limit: '' })
  expect([wrong.status, errorsIn(wrong.text).join()]).toEqual([422, expect.stringContaining('must be a number up to')])
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  expect((await me.post(limits, { form_token: token, storage_size_limit: '9' })).status).toBe(403)
  const user = `/admin/users/${owner.username}`
  expect((await theirs.submit(`${user}/edit`, `${user}/limits`, { storage_size_limit: '8' })).location).toBe(`${user}/edit`)
  expect((await me.get('/profile/account')).text).toMatch(new RegExp(`The storage of ${owner.username}: .* of 8 MB`))
})

test('a picture is uploaded with the form, shown, and removed again; what is no image is refused by its field', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const address = `/groups/${group.full_path}/-/edit`
  const me = await signedIn(owner)
  const send = (content: Buffer, name: string) =>
    upload(me, address, address, { name: 'With a picture', avatar: new File([new Uint8Array(content)], name) })
  const refused = await send(Buffer.from('<svg onload="alert(1)"/>'), 'picture.png')
  expect([refused.statusCode, errorsIn(refused.payload).join()]).toEqual([
    422,
    expect.stringContaining('Avatar file format is not supported'),
  ])
  expect(refused.payload).toContain('value="With a picture"')
  expect((await send(onePixel, 'picture.png')).statusCode).toBe(303)
  const { text } = await me.get(`/groups/${group.full_path}`)
  expect(text).toContain(`/uploads/-/system/group/avatar/${group.id}/picture.png`)
  expect((await me.submit(address, `/groups/${group.full_path}/-/remove_avatar`)).status).toBe(303)
  expect((await me.get(`/groups/${group.full_path}`)).text).not.toContain('/uploads/-/system/group/avatar/')
})

test('a new path moves everything below the group, and its projects are found at their former addresses', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const project = await forge.project({ group, visibility: 'public' })
  const me = await signedIn(owner)
  const form = `/groups/${group.full_path}/-/path`
  const moved = await me.submit(`/groups/${group.full_path}/-/edit`, form, { path: `${group.path}-later` })
  expect(moved.location).toBe(`/groups/${group.path}-later/-/edit`)
  expect((await me.get(`/groups/${group.path}-later`)).status).toBe(200)
  expect((await me.get(`/groups/${group.full_path}`)).status).toBe(404)
  const old = await me.get(`/${project.full_path}`)
  expect([old.status, old.location]).toEqual([301, `/${group.path}-later/${project.path}`])
  const wrong = await me.submit(moved.location as string, `/groups/${group.path}-later/-/path`, { path: 'a/b' })
  expect([wrong.status, errorsIn(wrong.text).join()]).toEqual([422, expect.stringContaining('Path can contain only')])
  expect(wrong.text).toContain('<details class="dangerous" open><summary>Change path')
})

test('a group is transferred by the path of its new parent; of two moves at once the second is told that it is there already', async () => {
  const parent = await forge.group({ owner })
  const group = await forge.group({ owner })
  const me = await signedIn(owner)
  const edit = `/groups/${group.full_path}/-/edit`
  const form = `/groups/${group.full_path}/-/transfer`
  for (const [path, sentence] of [
    ['no-such-group', 'Parent is not the path of a group that you can see.'],
    [String(parent.id), 'Parent is not the path of a group that you can see.'],
    [group.full_path, 'Transfer failed: Group cannot be moved to itself or one of its subgroups.'],
    ['', 'Transfer failed: Group is already a root group.'],
  ] as const) {
    const refused = await me.submit(edit, form, { parent: path })
    expect([path, refused.status, errorsIn(refused.text).at(-1)]).toEqual([path, 422, sentence])
  }
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get(edit)).text)?.[1] as string
  const answers = await Promise.all([1, 2].map(() => me.post(form, { form_token: token, parent: parent.full_path })))
  const done = answers.filter(({ status }) => status === 303)
  expect([done.length, done[0]?.location]).toEqual([1, `/groups/${parent.full_path}/${group.path}/-/edit`])
  expect(answers.map(({ status }) => status).filter((status) => status !== 303 && status !== 422 && status !== 404)).toEqual([])
})

test('a group is deleted once its path was typed; who has its settings open still gets the page for what is gone', async () => {
  const group = await forge.group({ owner })
  const other = await forge.group({ owner })
  const me = await signedIn(owner)
  const edit = `/groups/${group.full_path}/-/edit`
  const wrong = await me.submit(edit, `/groups/${group.full_path}/-/delete`, { confirm: other.full_path })
  expect([wrong.status, errorsIn(wrong.text).at(-1)]).toEqual([422, `Confirm must be ${group.full_path}.`])
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get(edit)).text)?.[1] as string
  const gone = await me.submit(edit, `/groups/${group.full_path}/-/delete`, { confirm: group.full_path })
  expect([gone.status, gone.location]).toEqual([303, '/dashboard/groups'])
  for (const form of ['edit', 'path', 'transfer', 'delete']) {
    const late = await me.post(`/groups/${group.full_path}/-/${form}`, { form_token: token, name: 'Late', confirm: group.full_path })
    expect([form, late.status]).toEqual([form, 404])
  }
})

test('users request access, withdraw the request, and members leave; the last owner stays', async () => {
  const open = { name: 'Open doors', path: 'open-doors', visibility: 'public', request_access_enabled: true }
  const { body: group } = await forge.as(owner).post('/groups', open)
  const newcomer = await forge.user({ password })
  const me = await signedIn(newcomer)
  const address = `/groups/${group.full_path}`
  expect((await me.submit(address, `${address}/-/group_members/request_access`)).location).toBe(address)
  expect((await forge.as(owner).get(`/groups/${group.id}/access_requests`)).body).toHaveLength(1)
  expect((await me.get(address)).text).toContain('An owner decides.')
  await me.submit(address, `${address}/-/group_members/requests/${newcomer.id}/deny`)
  expect((await forge.as(owner).get(`/groups/${group.id}/access_requests`)).body).toHaveLength(0)
  await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: newcomer.id, access_level: 30 })
  expect((await me.submit(address, `${address}/-/group_members/${newcomer.id}/remove`)).location).toBe('/dashboard/groups')
  expect((await me.get('/dashboard/groups')).text).toContain('You are no longer a member of')
  const mine = await signedIn(owner)
  expect((await mine.submit(address, `${address}/-/group_members/${owner.id}/remove`)).status).toBe(403)
  await forge.as(owner).put(`/groups/${group.id}`, { request_access_enabled: false })
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  expect((await me.get(address)).text).not.toContain('Request access')
  expect((await me.post(`${address}/-/group_members/request_access`, { form_token: token })).status).toBe(403)
})

test('what others share with a group, and what is archived in it, stand in tabs of their own', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const below = await forge.group({ owner, visibility: 'public', parent: group })
  const elsewhere = await forge.project({ owner, visibility: 'public', name: 'Lent out', files: null })
  const old = await forge.project({ group: below, visibility: 'public', name: 'Old news', files: null })
  await forge.as(owner).post(`/projects/${elsewhere.id}/share`, { group_id: group.id, group_access: 30 })
  await forge.as(owner).post(`/projects/${old.id}/archive`)
  const me = browserOf(forge.server)
  expect((await me.get(`/groups/${group.full_path}/-/shared`)).text).toContain('Lent out')
  expect((await me.get(`/groups/${group.full_path}/-/archived`)).text).toContain('Old news')
  expect((await me.get(`/groups/${below.full_path}`)).text).not.toContain('Old news')
  expect((await me.get(`/groups/${below.full_path}/-/shared`)).text).toContain('No project of another group is shared')
})
