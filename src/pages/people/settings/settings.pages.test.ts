/** One's own settings: every page, what its forms do, and what they refuse. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { settingsPages } from './settings.pages.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&</b>\u202e`

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

async function signIn(user: TestUser, agent?: string): Promise<Browser> {
  const me = browserOf(forge.server)
  const { text } = await me.get('/users/sign_in')
  const form_token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const fields = { form_token, login: user.username, password: user.password ?? '' }
  expect((await me.post('/users/sign_in', fields, agent === undefined ? {} : { 'user-agent': agent })).status).toBe(303)
  return me
}

async function newcomer(): Promise<{ user: TestUser; me: Browser }> {
  const user = await forge.user({ password, name: `Ada ${hostile}` })
  return { user, me: await signIn(user) }
}

test('every page of settings is a whole document, and leads who is not signed in to sign in and back', async () => {
  const { user, me } = await newcomer()
  await forge.as(user).post('/user/keys', { title: hostile, key: publicKey() })
  await forge.as(user).post('/user/personal_access_tokens', { name: hostile, scopes: ['api'] })
  const addresses = settingsPages.filter(({ kind }) => kind === 'page').map(({ pattern }) => pattern.text)
  expect(addresses).toHaveLength(14)
  for (const address of addresses.filter((text) => !text.includes(':'))) {
    const { status, text } = await me.get(address)
    expect([address, status, readDocument(text).faults]).toEqual([address, 200, []])
    expect(text).not.toContain('<b>"')
    expect((await browserOf(forge.server).get(address)).location).toBe(`/users/sign_in?return_to=${encodeURIComponent(address)}`)
  }
})

test('the profile shows others what its user saved, and a wrong field keeps what was typed', async () => {
  const { user, me } = await newcomer()
  const fields = {
    name: 'Ada Byron',
    bio: hostile,
    location: 'London',
    organization: 'Engines',
    job_title: 'Analyst',
    pronouns: 'she/her',
    public_email: user.email,
    website_url: 'javascript:alert(1)',
    private_profile: 'false',
  }
  expect((await me.submit('/profile', '/profile', fields)).location).toBe('/profile')
  expect((await me.get('/profile')).text).toContain('Profile saved')
  const shown = (await me.get(`/${user.username}`)).text
  expect(shown).toContain('Ada Byron')
  for (const fact of ['London', 'Analyst at Engines', 'she/her', `mailto:${user.email}`]) expect(shown).toContain(fact)
  expect(shown).not.toMatch(/href="javascript/)

  const wrong = await me.submit('/profile', '/profile', { ...fields, name: '', location: 'x'.repeat(256), bio: 'A new one' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('Location is too long (maximum is 255 characters)')
  expect(wrong.text).toContain('A new one')
  const blank = await me.submit('/profile', '/profile', { ...fields, name: ' ' })
  expect([blank.status, blank.text.includes('Name can&#39;t be blank')]).toEqual([422, true])
})

test('a status is set with an emoji in colons or without, refused by its field, and cleared', async () => {
  const { user, me } = await newcomer()
  expect((await me.submit('/profile', '/profile/status', { emoji: ':coffee:', message: `At work ${hostile}` })).status).toBe(303)
  const { text } = await me.get(`/${user.username}`)
  expect(text).toContain('☕')
  expect(text).toContain('At work &lt;b&gt;')
  expect(readDocument(text).faults).toEqual([])
  const wrong = await me.submit('/profile', '/profile/status', { emoji: 'no_such_thing', message: 'x'.repeat(101) })
  expect([wrong.status, wrong.text.includes('Message is too long'), wrong.text.includes('no_such_thing')]).toEqual([422, true, true])
  await me.submit('/profile', '/profile/status', { emoji: '', message: '' })
  expect((await me.get(`/${user.username}`)).text).not.toContain('At work')
})

test('a username moves the projects along, and one that is taken or impossible is refused by its field', async () => {
  const { user, me } = await newcomer()
  const other = await forge.user()
  const project = await forge.project({ owner: user, visibility: 'public' })
  for (const [username, error] of [
    [other.username, 'Username has already been taken'],
    ['admin', 'Username admin is a reserved name'],
    ['', 'Username can&#39;t be blank'],
    ['a b', 'Username can contain only'],
  ] as const) {
    const { status, text } = await me.submit('/profile/account', '/profile/account', { username })
    expect([username, status, text.includes(error)]).toEqual([username, 422, true])
  }
  const renamed = `${user.username}-new`
  expect((await me.submit('/profile/account', '/profile/account', { username: renamed })).status).toBe(303)
  expect((await me.get(`/${project.full_path}`)).location).toBe(`/${renamed}/${project.path}`)
  expect((await me.get(`/${user.username}`)).status).toBe(404)
})

test('an account is deleted only with its name and its password, and leaves its contributions to the ghost', async () => {
  const { user, me } = await newcomer()
  const submit = (fields: Record<string, string>) => me.submit('/profile/account', '/profile/account/delete', fields)
  const noName = await submit({ confirm: 'somebody', password })
  expect([noName.status, noName.text.includes('Confirm is not your username')]).toEqual([422, true])
  const noPassword = await submit({ confirm: user.username, password: 'wrong password' })
  expect([noPassword.status, noPassword.text.includes('Password is wrong'), noPassword.text.includes('wrong password')]).toEqual([
    422,
    true,
    false,
  ])
  expect((await submit({ confirm: user.username, password })).location).toBe('/users/sign_in')
  expect((await forge.as(forge.root).get(`/users/${user.id}`)).status).toBe(404)
  expect((await me.get('/profile')).location).toContain('/users/sign_in')
})

test('the only owner of a group can’t delete their account until the group has another owner', async () => {
  const { user, me } = await newcomer()
  await forge.as(user).post('/groups', { name: 'Alone', path: `alone-${user.username}` })
  const refused = await me.submit('/profile/account', '/profile/account/delete', { confirm: user.username, password })
  expect([refused.status, refused.text.includes('only owner of a group')]).toEqual([409, true])
})

test('a key is added by its line alone, works at once, shows its fingerprint, and is refused a second time', async () => {
  const { user, me } = await newcomer()
  const key = publicKey('ada@desk')
  expect((await me.submit('/profile/keys', '/profile/keys', { key, title: '' })).status).toBe(303)
  const [stored] = (await forge.as(user).get('/user/keys')).body
  expect(stored.title).toBe('ada@desk')
  const shown = await me.get(`/profile/keys/${stored.id}`)
  expect(readDocument(shown.text).faults).toEqual([])
  expect(shown.text).toMatch(/SHA256:[A-Za-z0-9+/]{43}/)
  expect(shown.text).toContain('never')

  const twice = await me.submit('/profile/keys', '/profile/keys', { key, title: 'Again' })
  expect([twice.status, twice.text.includes('Key has already been taken'), twice.text.includes('value="Again"')]).toEqual([422, true, true])
  const wrong = await me.submit('/profile/keys', '/profile/keys', { key: '-----BEGIN OPENSSH PRIVATE KEY-----', title: 'x' })
  expect([wrong.status, wrong.text.includes('private key')]).toEqual([422, true])
  const stranger = await newcomer()
  expect((await stranger.me.get(`/profile/keys/${stored.id}`)).status).toBe(404)

  expect((await me.submit('/profile/keys', `/profile/keys/${stored.id}/delete`)).status).toBe(303)
  expect((await forge.as(user).get('/user/keys')).body).toEqual([])
})

test('two requests that add one key at the same moment add it once', async () => {
  const { user, me } = await newcomer()
  const key = publicKey('laptop')
  const statuses = await Promise.all([1, 2].map(async () => (await me.submit('/profile/keys', '/profile/keys', { key })).status))
  expect(statuses.sort()).toEqual([303, 422])
  expect((await forge.as(user).get('/user/keys')).body).toHaveLength(1)
})

test('a token has the chosen scopes, is shown once, and neither in the list nor again', async () => {
  const { user, me } = await newcomer()
  const address = '/profile/personal_access_tokens'
  const made = await me.submit(address, address, { name: hostile, scope_read_user: 'true', expires_at: '2099-01-31' })
  expect([made.status, readDocument(made.text).faults]).toEqual([201, []])
  const token = /gst-[0-9a-f]{40}/.exec(made.text)?.[0] ?? ''
  const asToken = forge.as(user, { token })
  expect([(await asToken.get('/user')).status, (await asToken.get('/projects')).status]).toEqual([200, 403])
  expect((await me.get(address)).text).not.toContain(token)

  const noScope = await me.submit(address, address, { name: 'Nothing' })
  expect([noScope.status, noScope.text.includes('Scopes can&#39;t be blank'), noScope.text.includes('value="Nothing"')]).toEqual([
    422,
    true,
    true,
  ])
  const sudo = await me.submit(address, address, { name: 'More', scope_sudo: 'true' })
  expect([sudo.status, sudo.text.includes('can only contain available scopes')]).toEqual([422, true])
  expect((await me.submit(address, address, { name: 'x', scope_api: 'true', expires_at: 'never' })).status).toBe(422)
})

test('rotation gives another token and ends the old one; revocation ends it for good', async () => {
  const { user, me } = await newcomer()
  const address = '/profile/personal_access_tokens'
  const first = (await forge.as(user).post('/user/personal_access_tokens', { name: 'CI', scopes: ['api'] })).body
  const rotated = await me.submit(address, `${address}/${first.id}/rotate`, { expires_at: '' })
  const second = /gst-[0-9a-f]{40}/.exec(rotated.text)?.[0] ?? ''
  expect([rotated.status, (await forge.as(user, { token: first.token }).get('/user')).status]).toEqual([201, 401])
  const { id } = (await forge.as(user, { token: second }).get('/personal_access_tokens/self')).body
  expect((await me.submit(address, `${address}/${id}/revoke`)).status).toBe(303)
  expect((await forge.as(user, { token: second }).get('/user')).status).toBe(401)
  const form_token = /name="form_token" value="([^"]+)"/.exec((await me.get(address)).text)?.[1] ?? ''
  const strange = (await forge.as(forge.root).post('/user/personal_access_tokens', { name: 'root', scopes: ['api'] })).body
  expect((await me.post(`${address}/${strange.id}/revoke`, { form_token })).status).toBe(404)
})

test('a feed token that is reset is in no address of a feed any more', async () => {
  const { user, me } = await newcomer()
  const feedOf = async () => /feed_token=([^"&]+)/.exec((await me.get(`/${user.username}`)).text)?.[1] ?? ''
  const first = await feedOf()
  const address = '/profile/personal_access_tokens'
  expect((await me.submit(address, '/profile/reset_feed_token')).location).toBe(address)
  expect([first.length > 10, (await feedOf()) === first]).toEqual([true, false])
})

test('sessions show their browser and address, and any but this one can be ended', async () => {
  const user = await forge.user({ password })
  const here = await signIn(user, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  const there = await signIn(user, '<script>alert(1)</script>')
  const { text } = await here.get('/profile/active_sessions')
  expect([
    text.includes('Firefox on Linux'),
    text.includes('Unknown browser'),
    text.includes('127.0.0.1'),
    text.includes('this one'),
  ]).toEqual([true, true, true, true])
  expect(text).not.toContain('<script>alert')
  const ended = await here.submit('/profile/active_sessions', '/profile/active_sessions/revoke')
  expect(ended.status).toBe(303)
  expect([(await here.get('/profile')).status, (await there.get('/profile')).status]).toEqual([200, 303])
  const form_token = /name="form_token" value="([^"]+)"/.exec((await here.get('/profile/active_sessions')).text)?.[1] ?? ''
  expect((await here.post('/profile/active_sessions/revoke', { form_token, session: '0'.repeat(16) })).status).toBe(404)
})

test('the password changes with the current one alone, and other sessions end', async () => {
  const { user, me } = await newcomer()
  const there = await signIn(user)
  const fields = { password: 'another long one', password_confirmation: 'another long one' }
  const wrong = await me.submit('/profile/password', '/profile/password', { ...fields, current_password: 'not it' })
  expect([wrong.status, wrong.text.includes('The current password is wrong.'), wrong.text.includes('another long one')]).toEqual([
    422,
    true,
    false,
  ])
  expect((await me.submit('/profile/password', '/profile/password', { ...fields, current_password: password })).location).toBe(
    '/profile/password',
  )
  expect([(await me.get('/profile')).status, (await there.get('/profile')).status]).toEqual([200, 303])
})

test('an address is added, waits for confirmation, and becomes the primary one once it is confirmed', async () => {
  const { user, me } = await newcomer()
  const email = `second-${user.username}@example.com`
  expect((await me.submit('/profile/emails', '/profile/emails', { email })).status).toBe(303)
  const twice = await me.submit('/profile/emails', '/profile/emails', { email: email.toUpperCase() })
  expect([twice.status, twice.text.includes('Email has already been taken')]).toEqual([422, true])
  expect((await me.submit('/profile/emails', '/profile/emails', { email: '<b>' })).status).toBe(422)
  const [{ id }] = (await forge.as(user).get('/user/emails')).body
  await me.submit('/profile/emails', `/profile/emails/${id}/primary`)
  expect((await me.get('/profile/emails')).text).toContain('to become primary')
  expect((await forge.as(user).get('/user')).body.email).toBe(user.email)
  const confirmed = `third-${user.username}@example.com`
  await forge.as(forge.root).post(`/users/${user.id}/emails`, { email: confirmed, skip_confirmation: true })
  const third = (await forge.as(user).get('/user/emails')).body.find((one: { email: string }) => one.email === confirmed)
  await me.submit('/profile/emails', `/profile/emails/${third.id}/primary`)
  expect((await forge.as(user).get('/user')).body.email).toBe(confirmed)
  expect((await me.submit('/profile/emails', `/profile/emails/${id}/delete`)).status).toBe(303)
})

test('preferences are kept, and values that no list has are refused', async () => {
  const { user, me } = await newcomer()
  const saved = await me.submit('/profile/preferences', '/profile/preferences', { dashboard: 'groups', week_starts_on: '1' })
  expect(saved.status).toBe(303)
  expect((await me.get('/profile/preferences')).text).toContain('<option value="groups" selected>')
  const wrong = await me.submit('/profile/preferences', '/profile/preferences', { dashboard: 'nowhere', week_starts_on: '9' })
  expect([wrong.status, wrong.text.includes('Dashboard is not included in the list')]).toEqual([422, true])
  expect((await me.get('/')).location).toBe('/dashboard/groups')
  expect((await me.get(`/${user.username}`)).text).toContain('>Tue</text>')
})

test('lists of keys, tokens, addresses and sessions cost the same however long they are', async () => {
  const { user, me } = await newcomer()
  const addresses = ['/profile/keys', '/profile/personal_access_tokens', '/profile/emails', '/profile/active_sessions', '/profile/gpg_keys']
  const add = async (number: number) => {
    await forge.as(user).post('/user/keys', { title: `Key ${number}`, key: publicKey() })
    await forge.as(user).post('/user/personal_access_tokens', { name: `Token ${number}`, scopes: ['api'] })
    await forge.as(user).post('/user/emails', { email: `n${number}-${user.username}@example.com` })
    await signIn(user)
  }
  const costs = async () => {
    const found: unknown[] = []
    for (const address of addresses) {
      await me.get(address)
      found.push([address, await forge.cost(() => me.get(address))])
    }
    return found
  }
  await add(0)
  const few = await costs()
  for (let number = 1; number <= 6; number += 1) await add(number)
  expect(await costs()).toEqual(few)
})
