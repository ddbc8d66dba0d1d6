/** The second factor as people and programs meet it: set-up, sign-in, what a password is good for then, and who must have one. */
import { Secret, TOTP } from 'otpauth'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { gpgKey } from '../../../test/support/fixtures/gpg-keys.ts'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import { type Settings, writeSettings } from '../../features/instance/settings/settings.service.ts'

const password = 'correct horse battery'
const settings = '/profile/two_factor_auth'
const secondStep = '/users/sign_in/two_factor'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

afterEach(async () => {
  await forge.app.db.deleteFrom('settings').where('name', 'like', '%two_factor%').execute()
  await forge.app.db.deleteFrom('sign_in_failures').execute()
})

const settle = (change: Partial<Settings>) => writeSettings(forge.app.db, change)

async function signIn(user: TestUser, fields: Record<string, string> = {}): Promise<Browser> {
  const me = browserOf(forge.server)
  const answer = await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '', ...fields })
  expect(answer.status).toBe(303)
  return me
}

interface Armed {
  user: TestUser
  /** The browser in which it was set up. */
  me: Browser
  codes: string[]
  /** A code that was never used. */
  next: () => Promise<string>
}

/** A user who has set up an app by the page. */
async function armed(attributes: { admin?: boolean } = {}): Promise<Armed> {
  const user = await forge.user({ password, ...attributes })
  const me = await signIn(user)
  const { text } = await me.get(settings)
  const secret = /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1]?.replaceAll(' ', '') ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const shown = await sendCode(me, text, totp.generate())
  expect(shown.status).toBe(201)
  const codes = [...shown.text.matchAll(/<li><code>([a-z0-9-]{19})<\/code><\/li>/g)].map((match) => match[1] as string)
  const next = async () => {
    // Time goes on for the app: the last code was one of the step before.
    await forge.app.db.updateTable('totp_factors').set({ last_counter: 0 }).where('user_id', '=', user.id).execute()
    return totp.generate()
  }
  return { user, me, codes, next }
}

/** The form of the page as it was shown: each showing offers another secret. */
function sendCode(me: Browser, page: string, code: string) {
  const [, form = ''] = new RegExp(`<form[^>]* action="${settings}">(.*?)</form>`, 's').exec(page) ?? []
  const fields = [...form.matchAll(/name="(form_token|offer)" value="([^"]+)"/g)].map((match) => [match[1] as string, match[2] as string])
  return me.post(settings, { ...Object.fromEntries(fields), code })
}

test('an app is set up on a page with a QR code and the key as text, and ten recovery codes are shown once', async () => {
  const user = await forge.user({ password })
  const me = await signIn(user)
  const page = await me.get(settings)
  expect([page.status, readDocument(page.text).faults]).toEqual([200, []])
  expect(page.text).toMatch(/<svg class="qr" role="img" aria-label="[^"]+" viewBox="0 0 /)
  const wrong = await sendCode(me, page.text, '000000')
  expect([wrong.status, wrong.text.includes('is wrong')]).toEqual([422, true])
  const keyOf = (text: string) => /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1]
  // A mistyped code must not change the key, which the user has scanned already.
  expect(keyOf(wrong.text)).toBe(keyOf(page.text))
  expect(keyOf((await me.get(settings)).text)).not.toBe(keyOf(page.text))

  const { me: there, codes } = await armed()
  expect(new Set(codes).size).toBe(10)
  const after = await there.get(settings)
  for (const code of codes) expect(after.text).not.toContain(code)
  expect(after.text).toContain('You have 10 codes left.')
})

test('signing in takes the password and a code: between the two nothing is open', async () => {
  const { user, next } = await armed()
  const project = await forge.project({ owner: user, visibility: 'private' })
  const me = browserOf(forge.server)
  const first = await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password, return_to: '/help' })
  expect([first.location, me.cookies.has('_service_session')]).toEqual([secondStep, false])
  expect(me.setCookies.find((line) => line.startsWith('_service_sign_in='))).toMatch(/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  expect([
    (await me.get('/profile')).location,
    (await me.get('/api/v4/user')).status,
    (await me.get(`/${project.full_path}`)).status,
  ]).toEqual(['/users/sign_in?return_to=%2Fprofile', 401, 404])
  const waiting = me.cookies.get('_service_sign_in') as string
  me.cookies.set('_service_session', waiting)
  expect((await me.get('/api/v4/user')).status).toBe(401)
  me.cookies.delete('_service_session')

  const page = await me.get(secondStep)
  expect([page.status, readDocument(page.text).faults]).toEqual([200, []])
  expect((await me.submit(secondStep, secondStep, { code: '\0' })).status).toBe(422)
  for (const code of ['', '000000', 'x'.repeat(10_000), '<b>']) {
    const wrong = await me.submit(secondStep, secondStep, { code })
    expect([wrong.status, wrong.text.includes('is wrong, or was used before')]).toEqual([422, true])
  }
  const code = await next()
  const done = await me.submit(secondStep, secondStep, { code })
  expect([done.status, done.location, me.cookies.has('_service_sign_in')]).toEqual([303, '/help', false])
  expect((await me.get('/api/v4/user')).status).toBe(200)

  const again = await signIn(user)
  expect((await again.submit(secondStep, secondStep, { code })).status).toBe(422)
  again.cookies.set('_service_sign_in', waiting)
  expect((await again.get(secondStep)).location).toBe('/users/sign_in')
})

test('a recovery code lets in once, and the throttle of wrong codes says when to come again', async () => {
  const { user, codes } = await armed()
  const me = await signIn(user)
  expect((await me.submit(secondStep, secondStep, { code: codes[0] as string })).location).toBe('/')
  expect((await me.get(settings)).text).toContain('You have 9 codes left.')
  const again = await signIn(user)
  for (let guess = 0; guess < 10; guess += 1)
    expect((await again.submit(secondStep, secondStep, { code: codes[0] as string })).status).toBe(422)
  const refused = await again.submit(secondStep, secondStep, { code: codes[1] as string })
  expect([refused.status, refused.text.includes('Too many failed attempts.'), Number(refused.headers['retry-after']) > 0]).toEqual([
    429,
    true,
    true,
  ])
})

test('who has a second factor uses tokens: the password alone opens neither git nor OAuth', async () => {
  const { user } = await armed()
  const project = await forge.project({ owner: user, visibility: 'private' })
  const git = (secret: string) =>
    forge.server.inject({
      url: `/${project.full_path}.git/info/refs?service=git-upload-pack`,
      headers: { authorization: `Basic ${Buffer.from(`${user.username}:${secret}`).toString('base64')}` },
    })
  const refused = await git(password)
  expect([refused.statusCode, refused.payload]).toEqual([401, expect.stringContaining('use a personal access token')])
  expect((await git('wrong')).payload).not.toContain('second factor')
  expect((await git(user.token)).statusCode).toBe(200)
  const grant = async (secret: string) => {
    const payload = { grant_type: 'password', username: user.username, password: secret }
    const answer = await forge.server.inject({ method: 'POST', url: '/oauth/token', payload })
    return [answer.statusCode, answer.json()]
  }
  expect(await grant(password)).toEqual(await grant('wrong'))
})

test('administrators see and filter who has a second factor, and can turn it off', async () => {
  const { user } = await armed()
  const plain = await forge.user({ password })
  const api = forge.as(forge.root)
  const enabled = async ({ id }: TestUser) => (await api.get(`/users/${id}`)).body.two_factor_enabled
  expect([await enabled(user), await enabled(plain)]).toEqual([true, false])
  const listed = async (two_factor: string, { username }: TestUser) =>
    (await api.get(`/users?username=${username}&two_factor=${two_factor}`)).body.length
  expect([await listed('enabled', user), await listed('disabled', user)]).toEqual([1, 0])
  expect([await listed('enabled', plain), await listed('disabled', plain)]).toEqual([0, 1])

  const admin = await forge.user({ password, admin: true })
  const me = await signIn(admin)
  const page = `/admin/users/${user.username}`
  const listPage = (filter: string) => me.get(`/admin/users?filter=${filter}&search=${user.username}`)
  expect((await listPage('two_factor_enabled')).text).toContain(page)
  expect((await listPage('two_factor_disabled')).text).not.toContain(page)
  expect((await me.submit(page, `${page}/disable_two_factor`)).location).toBe(page)
  expect(await enabled(user)).toBe(false)
  expect((await signIn(user)).cookies.has('_service_session')).toBe(true)
  const stranger = await signIn(plain)
  const token = /name="form_token" value="([^"]+)"/.exec((await stranger.get(settings)).text)?.[1] as string
  expect((await stranger.post(`${page}/disable_two_factor`, { form_token: token })).status).toBe(404)
})

test('nobody turns off their own second factor without the password or a code', async () => {
  const { me, user, next } = await armed()
  const off = (proof: string) => me.submit(settings, `${settings}/disable`, { off_proof: proof })
  for (const wrong of ['', 'wrong', '000000', 'x'.repeat(100_000)]) expect((await off(wrong)).status).toBe(422)
  expect((await me.submit(settings, `${settings}/codes`, { codes_proof: 'wrong' })).status).toBe(422)
  expect((await me.submit(settings, `${settings}/codes`, { codes_proof: password })).status).toBe(201)
  expect((await off(await next())).location).toBe(settings)
  expect((await signIn(user)).cookies.has('_service_session')).toBe(true)
})

test('where the instance requires a second factor, who has none sets one up, and may put it off for a while', async () => {
  const user = await forge.user({ password })
  const me = await signIn(user)
  await settle({ require_two_factor_authentication: true, two_factor_grace_period: 48 })
  const refused = await me.get('/api/v4/user')
  expect([(await me.get('/')).location, refused.status]).toEqual([settings, 403])
  expect(JSON.parse(refused.text).message).toContain(
    'You must set up a second factor first, at http://gitstead.test/profile/two_factor_auth',
  )
  expect((await me.get(settings)).text).toContain('You can put it off until')
  expect((await forge.as(user).get('/user')).status).toBe(200)
  expect((await me.submit(settings, `${settings}/skip`)).location).toBe('/')
  expect([(await me.get('/')).status, (await me.get('/api/v4/user')).status]).toEqual([200, 200])

  const asked = new Date(Date.now() - 48 * 3_600_000 - 1_000).toISOString()
  await forge.app.db.updateTable('users').set({ two_factor_asked_at: asked }).where('id', '=', user.id).execute()
  expect((await me.get('/')).location).toBe(settings)
  const page = await me.get(settings)
  expect(page.text).not.toContain(`${settings}/skip`)
  const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] as string
  await me.post(`${settings}/skip`, { form_token: token })
  expect((await me.get('/')).location).toBe(settings)
  const other = await signIn(user)
  expect((await other.get('/')).location).toBe(settings)
  await settle({ two_factor_grace_period: 2_000_000_000 })
  expect((await other.submit(settings, `${settings}/skip`)).location).toBe('/')
  await settle({ two_factor_grace_period: 0 })
  expect((await other.get('/')).location).toBe(settings)

  const { me: third } = await armed()
  expect((await third.get('/')).status).toBe(200)
})

test('a group’s second factor is required of members of it and of all groups above and below, and of no others', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => forge.user({ password })))
  const [above, member, below, expired, stranger] = people as [TestUser, TestUser, TestUser, TestUser, TestUser]
  const top = await forge.group({ reporter: above })
  const group = await forge.group({ parent: top, reporter: member })
  const part = await forge.group({ parent: group, reporter: below })
  await forge.group({ parent: top, reporter: stranger })
  const root = forge.as(forge.root)
  await root.post(`/groups/${group.id}/members`, { user_id: expired.id, access_level: 30, expires_at: '2099-01-01' })
  await forge.app.db.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', expired.id).execute()
  expect((await root.get(`/groups/${group.id}`)).body).toMatchObject({
    require_two_factor_authentication: false,
    two_factor_grace_period: 48,
  })
  const demand = { require_two_factor_authentication: true, two_factor_grace_period: 2 }
  expect((await root.put(`/groups/${group.id}`, demand)).body).toMatchObject(demand)
  expect((await root.put(`/groups/${group.id}`, { two_factor_grace_period: -1 })).status).toBe(400)
  const locations: Array<string | undefined> = []
  for (const user of people) locations.push((await (await signIn(user)).get('/')).location)
  expect(locations).toEqual([settings, settings, settings, undefined, undefined])

  const me = await signIn(below)
  expect((await me.get(settings)).text).toContain(`${group.full_path} requires a second factor of members.`)
  expect((await me.get('/api/v4/user')).status).toBe(403)
  expect((await forge.as(below).get('/user')).status).toBe(200)
  await root.put(`/groups/${part.id}`, { require_two_factor_authentication: true, two_factor_grace_period: 0 })
  await me.submit(settings, `${settings}/skip`).catch(() => {})
  expect((await me.get('/')).location).toBe(settings)
  await root.put(`/groups/${part.id}`, { require_two_factor_authentication: false })
  expect((await me.submit(settings, `${settings}/skip`)).location).toBe('/')
  expect((await me.get('/')).location).toBeUndefined()
  await root.put(`/groups/${group.id}`, { require_two_factor_authentication: false })
  expect((await (await signIn(member)).get('/')).location).toBeUndefined()
})

test('a session ends with the browser unless it is to be remembered: then it lasts two weeks', async () => {
  const { user, codes } = await armed()
  const plain = await forge.user({ password })
  const cookieOf = (me: Browser) => me.setCookies.find((line) => line.startsWith('_service_session='))
  expect(cookieOf(await signIn(plain))).not.toContain('Max-Age')
  expect(cookieOf(await signIn(plain, { remember_me: 'true' }))).toContain('; Max-Age=34560000;')
  const me = await signIn(user, { remember_me: 'true' })
  await me.submit(secondStep, secondStep, { code: codes[0] as string })
  expect(cookieOf(me)).toContain('; Max-Age=34560000;')
  const sessions = await forge.app.db
    .selectFrom('sessions')
    .select(['lasts_min', 'is_remembered'])
    .where('user_id', '=', plain.id)
    .execute()
  expect(sessions.toSorted((one, other) => one.lasts_min - other.lasts_min)).toEqual([
    { lasts_min: 10_080, is_remembered: false },
    { lasts_min: 20_160, is_remembered: true },
  ])
})

test('an hour after the sign-in a new token takes the password once more', async () => {
  const user = await forge.user({ password })
  const me = await signIn(user)
  const tokens = '/profile/personal_access_tokens'
  const create = (fields: Record<string, string> = {}) => me.submit(tokens, tokens, { name: 'x', scope_api: 'true', ...fields })
  expect((await create()).status).toBe(201)
  const before = new Date(Date.now() - 3_601_000).toISOString()
  await forge.app.db.updateTable('sessions').set({ created_at: before }).where('user_id', '=', user.id).execute()
  expect((await create()).status).toBe(422)
  expect((await create({ proof: 'wrong' })).status).toBe(422)
  expect((await create({ proof: password })).status).toBe(201)
  expect((await me.get(tokens)).text).toContain('name="proof"')
})

test('an hour after the sign-in keys, addresses, applications, tokens of projects and users take the password once more, too', async () => {
  const user = await forge.user({ password, admin: true })
  const other = await forge.user()
  const project = await forge.project({ maintainer: user, files: null })
  const me = await signIn(user)
  const before = new Date(Date.now() - 3_601_000).toISOString()
  await forge.app.db.updateTable('sessions').set({ created_at: before }).where('user_id', '=', user.id).execute()
  for (const [at, fields, done] of [
    ['/profile/keys', { title: 'Laptop', key: publicKey() }, 303],
    ['/profile/gpg_keys', { key: gpgKey() }, 303],
    [
      '/profile/applications',
      { name: 'x', redirect_uri: 'https://app.example.com/callback', confidential: 'true', scope_api: 'true' },
      201,
    ],
    [`/${project.full_path}/settings/access_tokens`, { name: 'x', access_level: '20', scope_api: 'true' }, 201],
    ['/profile/emails', { email: 'another@example.com' }, 303],
    ['/admin/users/new', { name: 'New', username: 'made-late', email: 'made-late@example.com' }, 303],
    [`/admin/users/${other.username}/edit`, { name: 'Other', username: other.username, email: other.email, admin: 'true' }, 303],
  ] as const) {
    expect([at, (await me.submit(at, at, { ...fields })).status]).toEqual([at, 422])
    expect([at, (await me.submit(at, at, { ...fields, proof: password })).status]).toEqual([at, done])
  }
  const [{ id } = { id: 0 }] = await forge.app.db.selectFrom('oauth_applications').select('id').where('owner_id', '=', user.id).execute()
  for (const [at, act, done] of [
    [`/profile/applications/${id}`, 'renew_secret', 201],
    [`/admin/users/${other.username}`, 'impersonate', 303],
  ] as const) {
    expect([act, (await me.submit(at, `${at}/${act}`, { proof: 'wrong' })).status]).toEqual([act, 400])
    expect([act, (await me.submit(at, `${at}/${act}`, { proof: password })).status]).toEqual([act, done])
  }
})
