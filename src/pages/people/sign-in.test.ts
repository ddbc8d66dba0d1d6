/** Signing in with a password, what a session is good for, and every way in which it ends. */
import { afterEach, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { openForge, type TestUser, testForge } from '../../../test/support/forge.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { pruneSessions } from '../../features/people/sessions/sessions.jobs.ts'
import { beginSession } from '../../features/people/sessions/sessions.service.ts'

const password = 'correct horse battery'

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

async function browser(): Promise<Browser> {
  return browserOf((await testForge()).server)
}

function signIn(to: Browser, user: TestUser, secret = password) {
  return to.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: secret })
}

async function sessionsOf(user: TestUser): Promise<number> {
  const { app } = await testForge()
  return (await app.db.selectFrom('sessions').select('digest').where('user_id', '=', user.id).execute()).length
}

test('the right password signs in, by username or email, and the API accepts the session for reading', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  for (const login of [user.username.toUpperCase(), user.email]) {
    const me = await browser()
    const answer = await me.submit('/users/sign_in', '/users/sign_in', { login, password })
    expect([answer.status, answer.location]).toEqual([303, '/'])
    expect((await me.get('/')).text).toContain(`<a href="/${user.username}">Profile</a>`)
    const api = await me.get('/api/v4/user')
    expect([api.status, JSON.parse(api.text).username]).toEqual([200, user.username])
  }
})

test('a password that is changed, and a user who is blocked or deleted, while it is looked at opens nothing', async () => {
  const forge = await testForge()
  const changes: Array<(user: TestUser) => Promise<unknown>> = [
    (user) => forge.as(forge.root).put(`/users/${user.id}`, { password: 'another one of theirs' }),
    (user) => forge.as(forge.root).post(`/users/${user.id}/block`),
    (user) => forge.as(forge.root).delete(`/users/${user.id}`),
  ]
  for (const change of changes) {
    const user = await forge.user({ password })
    await change(user)
    await expect(beginSession(forge.app, user)).rejects.toThrow('Your account has changed meanwhile. Sign in again.')
    expect(await sessionsOf(user)).toBe(0)
  }
})

test('the cookie is out of reach of scripts, is not sent by the forms of others, and its value is nowhere in the database', async () => {
  const forge = await testForge()
  const me = await browser()
  await signIn(me, await forge.user({ password }))
  const value = me.cookies.get('_service_session') as string
  expect(value).toMatch(/^[\w-]{43}$/)
  expect(me.setCookies[0]).toBe(`_service_session=${value}; Path=/; HttpOnly; SameSite=Lax`)
  const rows = await forge.app.db.selectFrom('sessions').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(value)
})

test('each sign-in of a browser is another session: a cookie that somebody planted, or had before, opens nothing', async () => {
  const forge = await testForge()
  const [user, other] = [await forge.user({ password }), await forge.user({ password })]
  const me = await browser()
  const planted = 'p'.repeat(43)
  const opens = async (value: string) => {
    const thief = await browser()
    thief.cookies.set('_service_session', value)
    return (await thief.get('/api/v4/user')).status
  }
  await me.get('/users/sign_in')
  const ofForms = me.cookies.get('_service_form') as string
  me.cookies.set('_service_session', planted)
  const values: string[] = []
  for (const whom of [user, user, other]) {
    // The page for signing in leads away who is signed in, and its form is still taken.
    const { text } = await me.get(values.length === 0 ? '/users/sign_in' : '/')
    const form_token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
    expect((await me.post('/users/sign_in', { form_token, login: whom.username, password })).status).toBe(303)
    values.push(me.cookies.get('_service_session') as string)
  }
  expect(new Set([planted, ofForms, ...values]).size).toBe(5)
  expect(await Promise.all([planted, ofForms, ...values].map(opens))).toEqual([401, 401, 401, 401, 200])
  expect([await sessionsOf(user), await sessionsOf(other)]).toEqual([0, 1])
})

test('over https the cookie goes over nothing else', async () => {
  const forge = await openForge({ config: { url: 'https://gitstead.test', hostname: 'gitstead.test' } })
  const me = browserOf(forge.server)
  await me.get('/users/sign_in')
  expect(me.setCookies).toEqual([expect.stringMatching(/; HttpOnly; SameSite=Lax; Secure$/)])
})

test('a sign-in is noted, with the one before', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const dates = () =>
    forge.app.db.selectFrom('users').select(['current_sign_in_at', 'last_sign_in_at']).where('id', '=', user.id).executeTakeFirstOrThrow()
  await signIn(await browser(), user)
  const first = await dates()
  await signIn(await browser(), user)
  const second = await dates()
  expect(first.current_sign_in_at).toBe(first.last_sign_in_at)
  expect(second.last_sign_in_at).toBe(first.current_sign_in_at)
})

test('a wrong password, an unknown name and an account without a password are refused in the same words', async () => {
  const forge = await testForge()
  const [user, without] = [await forge.user({ password }), await forge.user()]
  const texts = new Set<string>()
  for (const [login, secret] of [
    [user.username, 'wrong'],
    [user.username, ''],
    ['nobody-here', password],
    [without.username, 'null'],
  ] as const) {
    const me = await browser()
    const answer = await me.submit('/users/sign_in', '/users/sign_in', { login, password: secret })
    expect([login, answer.status, me.cookies.has('_service_session')]).toEqual([login, 422, false])
    texts.add(answer.text.replace(/value="[^"]*"/g, ''))
  }
  expect(texts.size).toBe(1)
  expect([...texts][0]).toContain('Invalid login or password.')
  const withNul = { login: `${user.username}\0`, password }
  expect((await (await browser()).submit('/users/sign_in', '/users/sign_in', withNul)).status).toBe(422)
})

test('blocked users are told so, but only with the right password', async () => {
  const forge = await testForge()
  const user = await forge.user({ password, state: 'blocked' })
  const [right, wrong] = [await signIn(await browser(), user), await signIn(await browser(), user, 'wrong')]
  expect([right.status, right.text.includes('Your account has been blocked.')]).toEqual([403, true])
  expect([wrong.status, wrong.text.includes('blocked')]).toEqual([422, false])
  expect(await sessionsOf(user)).toBe(0)
})

/** The answer to signing in from this address, as a proxy on this machine tells it. */
async function from(address: string, whom: TestUser, secret: string) {
  const me = await browser()
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/users/sign_in')).text)?.[1] as string
  const fields = { form_token: token, login: whom.username, password: secret }
  return me.post('/users/sign_in', fields, { 'x-forwarded-for': `203.0.113.9, ${address}` })
}

test('after ten wrong passwords in a minute not even the right one is looked at from there, and from elsewhere it is', async () => {
  const forge = await testForge()
  const [user, other] = [await forge.user({ password }), await forge.user({ password })]
  // Ten at one login would lock that.
  for (let guess = 0; guess < 10; guess += 1) {
    expect((await from('192.0.2.1', guess % 2 ? user : other, `wrong ${guess}`)).status).toBe(422)
  }
  const refused = await from('192.0.2.1', user, password)
  expect([refused.status, refused.text.includes('Too many failed attempts.')]).toEqual([429, true])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect((await from('192.0.2.1', other, password)).status).toBe(429)
  expect((await from('192.0.2.2', user, password)).status).toBe(303)
  expect((await from('192.0.2.2', other, password)).status).toBe(303)
})

test('a form that is not ours is refused: without a token, with that of another, or without the cookie', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const fields = { login: user.username, password }
  const [me, other] = [await browser(), await browser()]
  await me.get('/users/sign_in')
  const token = /name="form_token" value="([^"]+)"/.exec((await other.get('/users/sign_in')).text)?.[1] as string
  const tries = [
    await me.post('/users/sign_in', fields),
    await me.post('/users/sign_in', { ...fields, form_token: token }),
    await (await browser()).post('/users/sign_in', { ...fields, form_token: token }),
  ]
  for (const { status } of tries) expect(status).toBe(403)
  expect(await sessionsOf(user)).toBe(0)
})

test('a form of another origin is refused, and so is one that says nothing of its own', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const me = await browser()
  const shown = await me.get('/users/sign_in')
  // With `no-referrer` browsers would send `null` with our own forms.
  expect(shown.headers['referrer-policy']).toBe('same-origin')
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)?.[1] as string
  const send = async (headers: Record<string, string>) =>
    (await me.post('/users/sign_in', { form_token, login: user.username, password }, { host: 'gitstead.test', ...headers })).status
  expect(await send({ origin: 'null' })).toBe(403)
  expect(await send({ origin: 'https://evil.example' })).toBe(403)
  expect(await send({ origin: 'http://gitstead.test', 'sec-fetch-site': 'same-site' })).toBe(403)
  expect(await send({ origin: 'http://gitstead.test', 'sec-fetch-site': 'same-origin' })).toBe(303)
})

test('an address to return to is no address of a program, whatever it names', async () => {
  const me = await browser()
  for (const return_to of ['/a/b/-/archive/main/x.zip', '/a/b/-/releases/v1/downloads/x']) {
    expect((await me.get(`/users/sign_in?return_to=${return_to}`)).text).toContain(`name="return_to" value="${return_to}"`)
  }
})

test('a session changes nothing by the API without the header that only our pages can send', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const me = await browser()
  await signIn(me, user)
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  const create = (headers: Record<string, string>) => me.post('/api/v4/projects', { name: 'made-here' }, headers)
  expect((await create({})).status).toBe(401)
  expect((await create({ 'x-csrf-token': `${token}x` })).status).toBe(401)
  expect((await create({ 'x-csrf-token': token })).status).toBe(201)
})

test('a session has no sudo, and reaches what administrators reach only for them', async () => {
  const forge = await testForge()
  const me = await browser()
  await signIn(me, forge.root, forge.root.password)
  expect((await me.get('/api/v4/application/settings')).status).toBe(200)
  const sudo = await me.get('/api/v4/user?sudo=root')
  expect(sudo.status).toBe(401)
})

test('a sign-out ends the session, and leads to where the setting says, over http or within the service', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  for (const [path, expected] of [
    [null, '/users/sign_in'],
    ['/help', '/help'],
    ['https://example.com/bye', 'https://example.com/bye'],
  ] as const) {
    await writeSettings(forge.app.db, { after_sign_out_path: path })
    const me = await browser()
    await signIn(me, user)
    const value = me.cookies.get('_service_session') as string
    const home = await me.get('/')
    expect(home.headers['content-security-policy']).toContain(
      path?.startsWith('https') ? "form-action 'self' https://example.com;" : "form-action 'self';",
    )
    const answer = await me.submit('/', '/users/sign_out')
    expect([answer.status, answer.location]).toEqual([303, expected])
    me.cookies.set('_service_session', value)
    expect([(await me.get('/profile')).location, (await me.get('/api/v4/user')).status]).toEqual([
      '/users/sign_in?return_to=%2Fprofile',
      401,
    ])
  }
  expect(await sessionsOf(user)).toBe(0)
})

test('a session ends when its user is blocked, and stays ended when they are unblocked', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const me = await browser()
  await signIn(me, user)
  await forge.as(forge.root).post(`/users/${user.id}/block`)
  expect(await sessionsOf(user)).toBe(0)
  await forge.as(forge.root).post(`/users/${user.id}/unblock`)
  expect([(await me.get('/profile')).location, (await me.get('/api/v4/user')).status]).toEqual(['/users/sign_in?return_to=%2Fprofile', 401])
})

test('a session ends after the time of the setting, unless it is used meanwhile; what has ended is forgotten', async () => {
  const forge = await testForge()
  const { db } = forge.app
  const user = await forge.user({ password })
  const me = await browser()
  await writeSettings(db, { session_expire_delay: 60 })
  await signIn(me, user)
  const left_min = async () => {
    const { expires_at } = await db.selectFrom('sessions').select('expires_at').where('user_id', '=', user.id).executeTakeFirstOrThrow()
    return Math.round((Date.parse(expires_at) - Date.now()) / 60_000)
  }
  const age = (minutes: number) =>
    db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() + (60 - minutes) * 60_000).toISOString() })
      .where('user_id', '=', user.id)
      .execute()
  expect(await left_min()).toBe(60)
  await age(40)
  expect((await me.get('/api/v4/user')).status).toBe(200)
  expect(await left_min()).toBe(60)
  await age(60)
  expect((await me.get('/api/v4/user')).status).toBe(401)
  await pruneSessions.handle(forge.app, {})
  expect(await sessionsOf(user)).toBe(0)
})

test('where passwords are not taken nobody signs in with one', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const me = await browser()
  const shown = await me.get('/users/sign_in')
  const token = /name="form_token" value="([^"]+)"/.exec(shown.text)?.[1] as string
  await writeSettings(forge.app.db, { password_authentication_enabled_for_web: false, sign_in_text: 'Use the *other* way' })
  const page = await me.get('/users/sign_in')
  expect([page.text.includes('name="password"'), page.text.includes('other')]).toEqual([false, true])
  expect((await me.post('/users/sign_in', { form_token: token, login: user.username, password })).status).toBe(403)
  expect(await sessionsOf(user)).toBe(0)
})
