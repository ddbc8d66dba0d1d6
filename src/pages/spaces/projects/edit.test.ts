/** The settings of a project, and its forks: by the rules of the API, with errors by the field. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&`
let forge: Forge
let owner: TestUser
let maintainer: TestUser
let project: TestProject
let mine: Browser
let theirs: Browser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  maintainer = await forge.user({ password })
  project = await forge.project({ owner, maintainer, visibility: 'public', name: 'Shapes', path: 'shapes' })
  mine = await signedIn(owner)
  theirs = await signedIn(maintainer)
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

const at = () => `/${project.full_path}/edit`
const now = async (id = project.id) => (await forge.as(owner).get(`/projects/${id}`)).body
const tokenOf = async (me: Browser) => /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string

test('a maintainer changes description, topics, features and merging; a name and who sees it are the owner’s', async () => {
  const { text } = await theirs.get(at())
  expect(readDocument(text).faults).toEqual([])
  for (const hidden of ['identity', 'archive', 'transfer', 'delete']) expect(text).not.toContain(`action="${at()}/${hidden}"`)
  const saved = await theirs.submit(at(), at(), { description: hostile, topics: `b, a, ${hostile}`, request_access_enabled: 'true' })
  expect([saved.status, saved.location]).toEqual([303, at()])
  await theirs.submit(at(), `${at()}/features`, { issues_access_level: 'private', wiki_access_level: 'disabled', lfs_enabled: 'false' })
  await theirs.submit(at(), `${at()}/merging`, { merge_method: 'ff', only_allow_merge_if_pipeline_succeeds: 'true' })
  expect(await now()).toMatchObject({
    description: hostile,
    topics: [hostile, 'a', 'b'].sort(),
    request_access_enabled: true,
    issues_access_level: 'private',
    wiki_access_level: 'disabled',
    lfs_enabled: false,
    merge_method: 'ff',
    only_allow_merge_if_pipeline_succeeds: true,
  })
  const form_token = await tokenOf(theirs)
  for (const part of ['identity', 'archive', 'unarchive', 'transfer', 'unfork', 'delete']) {
    expect([part, (await theirs.post(`${at()}/${part}`, { form_token, name: 'X', confirm: project.full_path })).status]).toEqual([
      part,
      403,
    ])
  }
})

test('what is wrong stands by its field in its own form, and the text is kept', async () => {
  const long = await theirs.submit(at(), at(), { description: 'x'.repeat(2001), topics: 'kept' })
  expect([long.status, readDocument(long.text).faults]).toEqual([422, []])
  expect(long.text).toContain('id="description-error"')
  expect(long.text).toContain('value="kept"')
  const open = await theirs.submit(at(), `${at()}/features`, {
    repository_access_level: 'private',
    merge_requests_access_level: 'enabled',
    builds_access_level: 'private',
  })
  expect([open.status, open.text.includes('id="merge_requests_access_level-error"')]).toEqual([422, true])
  const name = await mine.submit(at(), `${at()}/identity`, { name: '/bad/', visibility: 'public' })
  expect([name.status, name.text.includes('id="name-error"')]).toEqual([422, true])
})

test('a picture is uploaded and removed; what is no picture is refused by its field', async () => {
  const cookie = [...theirs.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const form_token = await tokenOf(theirs)
  const send = async (bytes: Buffer) => {
    const body = new FormData()
    body.set('form_token', form_token)
    body.set('avatar', new Blob([new Uint8Array(bytes)]), 'me.png')
    const answer = await fetch(`${await forge.url()}${at()}/avatar`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  }
  expect((await send(onePixel)).status).toBe(303)
  expect((await now()).avatar_url).toMatch(/me\.png$/)
  const wrong = await send(Buffer.from('no picture'))
  expect([wrong.status, wrong.text.includes('id="avatar-error"')]).toEqual([422, true])
  expect((await theirs.submit(at(), `${at()}/avatar/remove`)).status).toBe(303)
  expect((await now()).avatar_url).toBeNull()
})

test('two who save at once both save their part', async () => {
  const [one, other] = await Promise.all([
    mine.submit(at(), `${at()}/identity`, { name: 'Figures', visibility: 'internal' }),
    theirs.submit(at(), at(), { description: 'By another', topics: '' }),
  ])
  expect([one.status, other.status]).toEqual([303, 303])
  expect(await now()).toMatchObject({ name: 'Figures', visibility: 'internal', description: 'By another', topics: [] })
})

test('it is archived and unarchived, renamed with a redirect, and moved', async () => {
  await mine.submit(at(), `${at()}/archive`)
  expect((await now()).archived).toBe(true)
  await mine.submit(at(), `${at()}/unarchive`)
  const taken = await forge.project({ owner, path: 'taken', files: null })
  const refused = await mine.submit(at(), `${at()}/path`, { path: 'taken' })
  expect([refused.status, refused.text.includes('id="path-error"')]).toEqual([422, true])
  const before = project.full_path
  const moved = await mine.submit(at(), `${at()}/path`, { path: 'figures' })
  expect(moved.location).toBe(`/${owner.username}/figures/edit`)
  expect(await mine.get(`/${before}/activity`)).toMatchObject({ status: 301, location: `/${owner.username}/figures/activity` })
  project = { ...project, full_path: `${owner.username}/figures` }
  const group = await forge.group({ owner, visibility: 'public' })
  const away = await mine.submit(at(), `${at()}/transfer`, { namespace_id: String(group.id) })
  expect(away.location).toBe(`/${group.full_path}/figures`)
  project = { ...project, full_path: `${group.full_path}/figures` }
  // The name is taken where it goes.
  const same = await forge.project({ group, path: 'taken', files: null })
  const clash = await mine.submit(`/${taken.full_path}/edit`, `/${taken.full_path}/edit/transfer`, { namespace_id: String(group.id) })
  expect([clash.status, clash.text.includes('already exists'), clash.text.includes('new_namespace')]).toEqual([422, true, false])
  expect(same.id).not.toBe(taken.id)
})

test('a fork is made in a namespace of one’s own, shown in the list, linked to from the form, and made independent', async () => {
  const form = `/${project.full_path}/forks/new`
  const made = await theirs.submit(form, `/${project.full_path}/forks`, { name: 'Mine', path: 'mine' })
  expect([made.status, made.location]).toEqual([303, `/${maintainer.username}/mine/import`])
  await forge.drain()
  expect((await theirs.get(`/${maintainer.username}/mine/import`)).location).toBe(`/${maintainer.username}/mine`)
  const fork = `/${maintainer.username}/mine`
  expect((await theirs.get(fork)).text).toContain(`href="/${project.full_path}"`)
  expect((await theirs.get(form)).text).toContain(`href="${fork}"`)
  expect((await theirs.get(`/${project.full_path}/forks`)).text).toContain(`href="${fork}"`)
  expect((await theirs.submit(`${fork}/edit`, `${fork}/edit/unfork`)).status).toBe(303)
  expect((await theirs.get(`/${project.full_path}/forks`)).text).toContain('There are no forks')
  // A place for a fork of one's own project.
  await forge.group({ owner })
  const again = await mine.submit(form, `/${project.full_path}/forks`, { name: '<b>', path: '-' })
  expect([again.status, again.text.includes('id="path-error"')]).toEqual([409, true])
})

test('it is deleted only with its path typed; settings that are still open lead to the page for what is not there', async () => {
  const other = await forge.project({ owner, path: 'doomed', files: null })
  const page = `/${other.full_path}/edit`
  const refused = await mine.submit(page, `${page}/delete`, { confirm: 'doomed' })
  expect([refused.status, refused.text.includes('id="confirm-error"')]).toEqual([422, true])
  const deleted = await mine.submit(page, `${page}/delete`, { confirm: other.full_path })
  expect(deleted.location).toBe(`/${owner.username}`)
  expect((await mine.post(page, { form_token: await tokenOf(mine), description: 'x' })).status).toBe(404)
  expect((await mine.get(page)).status).toBe(404)
})
