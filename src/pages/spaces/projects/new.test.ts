/** Creating projects in the browser: blank, from a URL, from an archive. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: owner.username, password })).status).toBe(303)
})

const create = (fields: Record<string, string>) => me.submit('/projects/new', '/projects/new/blank', { visibility: 'private', ...fields })
const idOf = async (full_path: string) => (await forge.as(owner).get(`/projects/${encodeURIComponent(full_path)}`)).body

test('who is not signed in signs in first, and comes back', async () => {
  const { status, location } = await browserOf(forge.server).get('/projects/new')
  expect([status, location]).toEqual([303, '/users/sign_in?return_to=%2Fprojects%2Fnew'])
})

test('a blank project is made with its path derived, and first files in one commit', async () => {
  const made = await create({ name: 'My Engine', initialize_with_readme: 'true', license: 'mit', gitignore: 'C', description: 'Hm' })
  expect([made.status, made.location]).toEqual([303, `/${owner.username}/my-engine`])
  const project = await idOf(`${owner.username}/my-engine`)
  expect([project.visibility, project.description]).toEqual(['private', 'Hm'])
  const { dir } = forge.app.git.open(project.id)
  expect((await git(dir, 'ls-tree', '--name-only', 'main')).split('\n')).toEqual(['.gitignore', 'LICENSE', 'README.md'])
  expect(await git(dir, 'rev-list', '--count', 'main')).toBe('1')
  expect(await git(dir, 'show', 'main:LICENSE')).toContain(owner.name)
})

test('what is wrong stands by its field, and what was typed is kept; nothing is made', async () => {
  const taken = await create({ name: 'My Engine', path: 'my-engine', description: 'kept <b>' })
  expect([taken.status, readDocument(taken.text).faults]).toEqual([422, []])
  expect(taken.text).toContain('has already been taken')
  expect(taken.text).toContain('kept &lt;b&gt;')
  const empty = await create({ name: '  ' })
  expect([empty.status, empty.text.includes('Give the project a name')]).toEqual([422, true])
  for (const path of ['-', 'tree', 'a/b', '<b>', 'x.git']) {
    const wrong = await create({ name: 'Fine', path })
    expect([path, wrong.status, wrong.text.includes('id="path-error"')]).toEqual([path, 422, true])
  }
})

test('a namespace may be chosen among those in which one may create, and no other', async () => {
  const group = await forge.group({ maintainer: owner, name: 'Ours' })
  const below = await forge.group({ parent: group, name: 'Below' })
  const others = await forge.group({ developer: owner, name: 'Theirs' })
  const { text } = await me.get('/projects/new')
  expect([text.includes(`>${below.full_path}<`), text.includes(`>${others.full_path}<`)]).toEqual([true, false])
  expect((await create({ name: 'In it', namespace_id: String(below.id) })).location).toBe(`/${below.full_path}/in-it`)
  const refused = await create({ name: 'Not in it', namespace_id: String(others.id) })
  expect([refused.status, refused.text.includes('Namespace is not valid')]).toEqual([422, true])
  const tooOpen = await create({ name: 'Open', namespace_id: String(group.id), visibility: 'public' })
  expect([tooOpen.status, /public is not allowed in a private group/.test(tooOpen.text)]).toEqual([422, true])
})

test('what an administrator has restricted can’t be chosen, and says so', async () => {
  await writeSettings(forge.app.db, { restricted_visibility_levels: ['public'], import_sources: ['git'] })
  const { text } = await me.get('/projects/new')
  expect(text).toMatch(/value="public" disabled/)
  expect(text).toContain('Not allowed by your administrator')
  expect((await create({ name: 'Open all', visibility: 'public' })).status).toBe(422)
  expect((await me.get('/projects/new?from=archive')).text).toContain('does not allow this kind of import')
  await writeSettings(forge.app.db, { restricted_visibility_levels: [], import_sources: ['git', 'gitlab_project'] })
})

test('a project is imported from a URL: errors by the field, progress, then its page', async () => {
  const source = await forge.project({ visibility: 'public' })
  const from = (import_url: string) => me.submit('/projects/new?from=url', '/projects/new/url', { name: 'Imported', import_url })
  const wrong = await from('ftp://nowhere/x')
  expect([wrong.status, wrong.text.includes('id="import_url-error"')]).toEqual([422, true])
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  const made = await from(`${await forge.url()}/${source.full_path}.git`)
  expect(made.location).toBe(`/${owner.username}/imported/import`)
  const page = await me.get(made.location ?? '')
  expect([page.status, readDocument(page.text).faults]).toEqual([200, []])
  for (const part of ['<progress', 'You can leave this page', 'http-equiv="refresh"', '>Stop<']) expect(page.text).toContain(part)
  expect((await me.submit(made.location ?? '', `${made.location}/stop`)).status).toBe(303)
  const stopped = await me.get(made.location ?? '')
  expect(stopped.text).toContain(`Stopped by @${owner.username}`)
  expect((await me.submit(made.location ?? '', `${made.location}/again`, { import_url: 'nonsense' })).status).toBe(422)
  const again = await me.submit(made.location ?? '', `${made.location}/again`, {
    import_url: `${await forge.url()}/${source.full_path}.git`,
  })
  expect(again.status).toBe(303)
  await forge.drain()
  const done = await me.get(made.location ?? '')
  expect([done.status, done.location]).toEqual([303, `/${owner.username}/imported`])
  expect((await me.get(done.location ?? '')).text).toContain('README.md')
})

test('an empty project of one’s own is filled from a URL; one with commits is not', async () => {
  const source = await forge.project({ visibility: 'public' })
  const empty = await forge.project({ owner, files: null })
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  const at = `/${empty.full_path}/import`
  const shown = await me.get(at)
  expect([shown.status, readDocument(shown.text).faults]).toEqual([200, []])
  const send = (to: string, import_url: string) => me.submit(at, `${to}/again`, { import_url })
  const wrong = await send(at, 'ftp://nowhere/x')
  expect([wrong.status, wrong.text.includes('id="import_url-error"')]).toEqual([422, true])
  const address = `${await forge.url()}/${source.full_path}.git`
  expect((await send(at, address)).location).toBe(at)
  // While it is under way there is no form.
  expect((await me.get(at)).text).not.toContain(`${at}/again`)
  await forge.drain()
  expect((await me.get(`/${empty.full_path}`)).text).toContain('README.md')
  const full = await forge.project({ owner })
  expect((await me.get(`/${full.full_path}/import`)).location).toBe(`/${full.full_path}`)
})

test('an archive that was exported and downloaded here is imported again', async () => {
  const source = await forge.project({ owner, name: 'Exported' })
  const at = `/${source.full_path}/export`
  expect((await me.submit(at, at, { description: 'For keeps' })).location).toBe(at)
  const waiting = await me.get(at)
  expect([waiting.text.includes('<progress'), readDocument(waiting.text).faults]).toEqual([true, []])
  expect((await me.submit(at, `${at}/stop`)).status).toBe(303)
  expect((await me.get(at)).text).toContain('Export stopped')
  await me.submit(at, at, { description: 'For keeps' })
  await forge.drain()
  const { text } = await me.get(at)
  expect(text).toMatch(/Download [\d.]+ KB/)
  expect(text).toContain('removed <time')
  const cookie = [...me.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const download = await fetch(`${await forge.url()}/${source.full_path}/download_export`, { headers: { cookie } })
  expect([download.status, download.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  const archive = Buffer.from(await download.arrayBuffer())

  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/projects/new?from=archive')).text)?.[1] as string
  const body = new FormData()
  body.set('form_token', token)
  body.set('path', 'restored')
  body.set('file', new Blob([new Uint8Array(archive)]), 'x.tar.gz')
  const sent = await fetch(`${await forge.url()}/projects/new/archive`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
  await sent.text()
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/${owner.username}/restored/import`])
  await forge.drain()
  expect((await me.get(`/${owner.username}/restored`)).text).toContain('For keeps')
})
