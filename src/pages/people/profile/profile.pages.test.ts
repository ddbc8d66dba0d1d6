/** Profiles: what they show, to whom, at which cost; and the keys of users as text. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { gpgKey } from '../../../../test/support/fixtures/gpg-keys.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&</b>`

let forge: Forge
let visitor: Browser

beforeAll(async () => {
  forge = await testForge()
  visitor = browserOf(forge.server)
})

async function did(user: TestUser, project_id: number, day: string): Promise<void> {
  const event = { project_id, author_id: user.id, action: 'pushed' as const, ref: 'refs/heads/main', created_at: `${day}T12:00:00.000Z` }
  await forge.app.db.insertInto('events').values(event).execute()
}

const today = () => new Date().toISOString().slice(0, 10)

test('the calendar counts what somebody did in projects whose code the viewer can see, and says it in words', async () => {
  const user = await forge.user()
  const [open, hidden] = [
    await forge.project({ owner: user, visibility: 'public', files: null }),
    await forge.project({ owner: user, visibility: 'private', files: null }),
  ]
  for (let index = 0; index < 3; index += 1) await did(user, open.id, today())
  await did(user, hidden.id, today())
  await did(user, open.id, '2001-02-03')
  const { text } = await visitor.get(`/${user.username}`)
  expect([text.includes('3 contributions in the last year'), readDocument(text).faults]).toEqual([true, []])
  expect(text).toMatch(/<rect[^>]*class="most"><title>[^<]*: 3 contributions<\/title>/)
  expect((await (await signedIn(forge, forge.root)).get(`/${user.username}`)).text).toContain('4 contributions in the last year')
})

test('a profile begins with the README of the project that is named as the user, for who may read it', async () => {
  const user = await forge.user({ password })
  await forge.project({ owner: user, path: user.username, visibility: 'internal', files: { 'README.md': '# Hello from here\n' } })
  const mine = (await (await signedIn(forge, user)).get(`/${user.username}`)).text
  expect([mine.includes('Hello from here</h2>'), readDocument(mine).faults]).toEqual([true, []])
  expect((await visitor.get(`/${user.username}`)).text).not.toContain('Hello from here')
})

test('a user pins up to six of their projects; each viewer sees those that they may see, in that order', async () => {
  const user = await forge.user({ password })
  const [open, hidden] = [
    await forge.project({ owner: user, visibility: 'public', name: 'Second', files: null }),
    await forge.project({ owner: user, visibility: 'private', name: 'First', files: null }),
  ]
  const foreign = await forge.project({ visibility: 'public', files: null })
  const me = await signedIn(forge, user)
  const choose = async (...ids: number[]) => {
    const { text } = await me.get('/profile/pinned_projects')
    const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const fields = new URLSearchParams([['form_token', token], ...ids.map((id) => ['project_ids[]', String(id)])])
    const sent = { host: 'gitstead.test', origin: 'http://gitstead.test' }
    const cookie = [...me.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...sent, cookie, 'content-type': 'application/x-www-form-urlencoded' }
    return forge.server.inject({ method: 'POST', url: '/profile/pinned_projects', headers, payload: fields.toString() })
  }

  expect((await visitor.get(`/${user.username}`)).text).not.toContain('Pinned projects')
  expect((await choose(hidden.id, open.id)).statusCode).toBe(303)
  const mine = (await me.get(`/${user.username}`)).text
  const theirs = (await visitor.get(`/${user.username}`)).text
  const pinned = (text: string) => /<h2>Pinned projects<\/h2>(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
  expect([...pinned(mine).matchAll(/<a href="([^"]+)">/g)].map(([, address]) => address)).toEqual([
    '/profile/pinned_projects',
    `/${hidden.full_path}`,
    `/${open.full_path}`,
  ])
  expect([pinned(theirs).includes(open.full_path), theirs.includes(hidden.full_path), readDocument(mine).faults]).toEqual([true, false, []])
  const refused = await choose(foreign.id)
  expect([refused.statusCode, refused.payload.includes('Choose among the projects that are listed')]).toEqual([422, true])
  expect((await choose()).statusCode).toBe(303)
  expect((await visitor.get(`/${user.username}`)).text).not.toContain('Pinned projects')
})

test('each tab lists what the viewer can see of it', async () => {
  const [user, other] = [await forge.user({ password }), await forge.user()]
  const own = await forge.project({ owner: user, visibility: 'public', name: 'Mine' })
  const foreign = await forge.project({ owner: other, visibility: 'public', name: 'Theirs' })
  const secret = await forge.project({ owner: other, visibility: 'private', name: 'Secret', developer: user })
  const group = await forge.group({ owner: user, visibility: 'public', name: 'Shared' })
  await did(user, foreign.id, today())
  await did(user, secret.id, today())
  await forge.as(user).post(`/projects/${foreign.id}/star`)
  await forge.as(user).post(`/projects/${secret.id}/star`)
  const me = await signedIn(forge, user)
  for (const [tab, seen, hidden] of [
    ['projects', own.full_path, secret.full_path],
    ['contributed', foreign.full_path, secret.full_path],
    ['starred', foreign.full_path, secret.full_path],
    ['groups', group.full_path, secret.full_path],
    ['activity', foreign.full_path, secret.full_path],
  ] as const) {
    const { text } = await visitor.get(`/users/${user.username}/${tab}`)
    expect([tab, text.includes(seen), text.includes(hidden), readDocument(text).faults]).toEqual([tab, true, false, []])
    if (tab === 'contributed' || tab === 'starred')
      expect((await me.get(`/users/${user.username}/${tab}`)).text).toContain(secret.full_path)
  }
})

test('a private profile shows others its name alone, and its user everything', async () => {
  const user = await forge.user({ password, private_profile: true, name: `Ada ${hostile}` })
  const project = await forge.project({ owner: user, visibility: 'public' })
  await did(user, project.id, today())
  for (const tab of ['', 'projects', 'contributed', 'starred', 'groups', 'activity']) {
    const address = tab === '' ? `/${user.username}` : `/users/${user.username}/${tab}`
    const { status, text } = await visitor.get(address)
    expect([address, status, text.includes('This profile is private.'), text.includes(project.full_path), text.includes('Joined')]).toEqual(
      [address, 200, true, false, false],
    )
    expect(text).not.toContain('<b>"')
  }
  expect((await (await signedIn(forge, user)).get(`/${user.username}`)).text).toContain(project.full_path)
})

test('with public visibility restricted, visitors find no profiles and no keys', async () => {
  const user = await forge.user()
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
  for (const address of [`/${user.username}`, `/${user.username}.keys`, `/users/${user.username}/groups`])
    expect([address, (await visitor.get(address)).status]).toEqual([address, 404])
  expect((await (await signedIn(forge, forge.root)).get(`/${user.username}`)).status).toBe(200)
  await forge.app.db.deleteFrom('settings').execute()
})

test('a blocked user is marked as one', async () => {
  const user = await forge.user({ state: 'blocked' })
  expect((await visitor.get(`/${user.username}`)).text).toContain('<span class="tag">blocked</span>')
})

test('the keys of a user are plain text without their comments, for everybody; one without keys has none', async () => {
  const user = await forge.user()
  const key = publicKey('ada@desk')
  expect(await visitor.get(`/${user.username}.keys`)).toMatchObject({ status: 200, text: '' })
  await forge.as(user).post('/user/keys', { title: 'Desk', key })
  const block = gpgKey()
  await forge.as(user).post('/user/gpg_keys', { key: block })
  const keys = await visitor.get(`/${user.username}.keys`)
  expect([keys.status, keys.text, keys.headers['content-type']]).toEqual([
    200,
    `${key.replace(' ada@desk', '')}\n`,
    'text/plain; charset=utf-8',
  ])
  expect((await visitor.get(`/${user.username}.gpg`)).text.trim()).toBe(block.trim())
  expect((await visitor.get('/nobody-at-all.keys')).status).toBe(404)
})

test('a profile costs the same however much its user did', async () => {
  const user = await forge.user()
  const add = async (number: number) => {
    const project = await forge.project({ owner: user, visibility: 'public', name: `P${number}`, files: null })
    await forge.group({ owner: user, visibility: 'public' })
    for (const day of ['2026-01-01', today()]) await did(user, project.id, day)
    await forge.as(user).post(`/projects/${project.id}/star`)
  }
  const costs = async () => {
    const found: unknown[] = []
    for (const address of ['', '/activity', '/projects', '/contributed', '/starred', '/groups']) {
      const at = address === '' ? `/${user.username}` : `/users/${user.username}${address}`
      await visitor.get(at)
      found.push([address, await forge.cost(() => visitor.get(at))])
    }
    return found
  }
  await add(0)
  const few = await costs()
  for (let number = 1; number <= 6; number += 1) await add(number)
  expect(await costs()).toEqual(few)
})
