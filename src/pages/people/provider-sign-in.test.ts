/** Signing in through OpenID Connect providers: an honest one, another Gitstead, and one that lies. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, browserOf, type Shown } from '../../../test/support/browser.ts'
import { type Forge, openForge, type TestUser } from '../../../test/support/forge.ts'
import { anApplication, browserAs } from '../../../test/support/oauth.ts'
import { comesBack, type TestProvider, testProvider } from '../../../test/support/openid-provider.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { userOfIdentity } from '../../features/people/identities/identities.ts'
import { createUser } from '../../features/people/users/users.ts'

const password = 'correct horse battery'
let forge: Forge
let provider: TestProvider

beforeAll(async () => {
  provider = await testProvider()
  forge = await openForge({ config: { identity_providers: { openid: [provider.settings], ldap: null } } })
})

let people = 0
beforeEach(async () => {
  provider.honest()
  people += 1
  const email = `person-${people}@corp.example`
  provider.claims = { sub: `sub-${people}`, email, email_verified: true, preferred_username: `person-${people}`, name: 'Ada Lovelace' }
  await forge.app.db.deleteFrom('settings').where('name', '!=', 'secret_key_check').execute()
})

/** Presses the button and returns the URL of the provider to which the next page redirects. */
async function leave(me: Browser, page = '/users/sign_in'): Promise<string> {
  const { text, status } = await me.submit(page, '/users/auth/corp')
  const found = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(text)?.[1]
  if (found === undefined) throw new Error(`${status} ${text}`)
  return found.replaceAll('&amp;', '&')
}

async function signIn(me = browserOf(forge.server), page?: string): Promise<Shown> {
  return me.get(comesBack(provider, await leave(me, page)))
}

/** The user who is signed in in this browser; null if nobody is. */
async function whoIs(me: Browser): Promise<{ id: number; username: string; [field: string]: unknown } | null> {
  const { status, text } = await me.get('/api/v4/user')
  return status === 200 ? JSON.parse(text) : null
}

const sentenceOf = ({ text }: Shown) => /role="alert"><p>([^<]*)/.exec(text)?.[1]?.replaceAll('&#39;', '’')

async function account(): Promise<TestUser> {
  return forge.user({ provider: 'corp', extern_uid: String(provider.claims.sub) })
}

test('the first sign-in makes an account, the next ones find it, also when name and address have changed', async () => {
  const me = browserOf(forge.server)
  const answer = await signIn(me, '/users/sign_in?return_to=%2Fexplore%2Fprojects%3Fsort%3Dname')
  expect([answer.status, answer.location]).toEqual([303, '/explore/projects?sort=name'])
  const made = await whoIs(me)
  const { sub, email } = provider.claims
  expect(made).toMatchObject({
    username: `person-${people}`,
    name: 'Ada Lovelace',
    email,
    identities: [{ provider: 'corp', extern_uid: sub }],
  })
  expect(made?.confirmed_at).not.toBe(null)

  provider.claims = { sub: String(sub), email: 'another@corp.example', email_verified: true, name: 'Countess' }
  const again = browserOf(forge.server)
  expect((await signIn(again)).status).toBe(303)
  expect(await whoIs(again)).toMatchObject({ id: made?.id, name: 'Ada Lovelace', email })
})

test('the browser is led away with PKCE, state and nonce, and its cookie tells nothing of them', async () => {
  const me = browserOf(forge.server)
  const address = new URL(await leave(me))
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: 'gitstead',
    redirect_uri: 'http://gitstead.test/users/auth/corp/callback',
    response_type: 'code',
    scope: 'openid profile email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  expect(me.setCookies).toEqual([expect.stringMatching(/^_service_provider=v1\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)])
})

test('an address that a provider tells only as user info counts, if it is of the same person', async () => {
  const { email, sub } = provider.claims
  provider.claims = { sub: String(sub) }
  provider.userInfo = { sub, email, email_verified: true, nickname: `info-${people}` }
  const me = browserOf(forge.server)
  await signIn(me)
  expect(await whoIs(me)).toMatchObject({ username: `info-${people}`, email })
  provider.claims = { sub: 'somebody-else' }
  expect(sentenceOf(await signIn())).toBe('Signing in through Corp failed. Start again.')
})

test('a username is made valid and free', async () => {
  const taken = await forge.user({ username: `taken-${people}` })
  const group = await forge.group({ owner: taken, path: `group-${people}` })
  for (const [sent, becomes] of [
    [taken.username.toUpperCase(), `TAKEN-${people}1`],
    [group.path, `${group.path}1`],
    ['Börge Ñandú', 'borge-nandu'],
    ['admin', 'admin1'],
    ['lovelace@corp.example', 'lovelace'],
    ['../../etc', 'etc'],
    ['😀', 'person'],
  ]) {
    people += 1
    provider.claims = { sub: `sub-${people}`, email: `person@corp${people}.example`, email_verified: true, preferred_username: sent ?? '' }
    const me = browserOf(forge.server)
    await signIn(me)
    expect([sent, (await whoIs(me))?.username]).toEqual([sent, becomes])
  }
})

describe('no account is made', () => {
  const refused = async (sentence: string | RegExp) => {
    const me = browserOf(forge.server)
    const answer = await signIn(me)
    expect(sentenceOf(answer)).toMatch(sentence)
    expect([answer.status, await whoIs(me)]).toEqual([403, null])
    expect(await userOfIdentity(forge.app.db, { provider: 'corp', extern_uid: String(provider.claims.sub) })).toBe(null)
  }

  test('for an address that somebody has: it is theirs to connect', async () => {
    const user = await forge.user({ email: String(provider.claims.email) })
    await refused('There is an account with your email address. Sign in to it, and connect Corp on the page of your account.')
    expect((await forge.as(forge.root).get(`/users/${user.id}`)).body.identities).toEqual([])
  })

  test('for an address that is unconfirmed here, or there', async () => {
    await createUser(forge.app, { email: String(provider.claims.email), username: `waiting-${people}`, name: 'Waiting' })
    await refused(/^There is an account with your email address/)
    provider.claims = { ...provider.claims, email: 'fresh@corp.example', email_verified: false }
    await refused('Corp has not confirmed your email address.')
    provider.claims = { sub: String(provider.claims.sub) }
    await refused('Corp did not tell your email address.')
  })

  test('where sign-up is off, or the domain is not allowed', async () => {
    await writeSettings(forge.app.db, { signup_enabled: false })
    await refused('You have no account here, and Corp creates none: ask an administrator.')
    await writeSettings(forge.app.db, { signup_enabled: true, domain_whitelist: ['other.example'] })
    await refused('Email domain is not authorized for sign-up')
    await writeSettings(forge.app.db, { domain_whitelist: [], domain_blacklist: ['corp.example'], domain_blacklist_enabled: true })
    await refused('Email is not from an allowed domain.')
  })
})

test('a provider may make accounts where sign-up is off, and may vouch for addresses', async () => {
  await writeSettings(forge.app.db, { signup_enabled: false })
  Object.assign(provider.settings, { sign_up: true, trusts_email: true })
  provider.claims = { ...provider.claims, email_verified: false }
  const me = browserOf(forge.server)
  await signIn(me)
  Object.assign(provider.settings, { sign_up: null, trusts_email: false })
  expect((await whoIs(me))?.email).toBe(provider.claims.email)
})

test('two first sign-ins of one person at once make one account', async () => {
  const [one, other] = [browserOf(forge.server), browserOf(forge.server)]
  const back = [comesBack(provider, await leave(one)), comesBack(provider, await leave(other))] as const
  const answers = await Promise.all([one.get(back[0]), other.get(back[1])])
  expect(answers.map(({ status }) => status)).toEqual([303, 303])
  expect((await whoIs(one))?.id).toBe((await whoIs(other))?.id)
})

test('who is blocked stays out', async () => {
  const user = await account()
  await forge.as(forge.root).post(`/users/${user.id}/block`)
  expect(sentenceOf(await signIn())).toBe('Your account has been blocked.')
})

test('a disabled provider has no button, and signs nobody in, also who has left already', async () => {
  await account()
  const me = browserOf(forge.server)
  const back = comesBack(provider, await leave(me))
  await writeSettings(forge.app.db, { disabled_oauth_sign_in_sources: ['corp'] })
  expect((await me.get('/users/sign_in')).text).not.toContain('Corp')
  expect([(await me.get(back)).status, await whoIs(me)]).toEqual([404, null])
})

test('where passwords are not taken the page has the buttons alone', async () => {
  const me = browserOf(forge.server)
  await writeSettings(forge.app.db, { password_authentication_enabled_for_web: false })
  const { text } = await me.get('/users/sign_in')
  expect([text.includes('Sign in with Corp'), text.includes('name="password"'), text.includes('is disabled')]).toEqual([true, false, false])
  await account()
  expect((await signIn(me)).status).toBe(303)
})

describe('a sign-in belongs to the browser that began it, and works once', () => {
  test.each<[string, (mine: Browser, back: string) => Promise<Shown>]>([
    ['another browser', (_, back) => browserOf(forge.server).get(back)],
    ['another sign-in of the same browser', (mine, back) => leave(mine).then(() => mine.get(back))],
    [
      'a cookie that was changed',
      (mine, back) => {
        mine.cookies.set('_service_provider', `v1.${'A'.repeat(200)}`)
        return mine.get(back)
      },
    ],
    ['another state', (mine, back) => mine.get(back.replace(/state=[^&]+/, 'state=x'))],
    ['no state', (mine, back) => mine.get(back.replace(/&state=[^&]+/, ''))],
    [
      'a second time',
      async (mine, back) => {
        await mine.get(back)
        await mine.submit('/', '/users/sign_out')
        return mine.get(back)
      },
    ],
  ])('not with %s', async (_, tried) => {
    await account()
    const me = browserOf(forge.server)
    const answer = await tried(me, comesBack(provider, await leave(me)))
    expect([answer.status, await whoIs(me)]).toEqual([403, null])
  })

  test('nor does a form of another site begin one', async () => {
    const me = browserOf(forge.server)
    await me.get('/users/sign_in')
    const answer = await me.post('/users/auth/corp', {}, { origin: 'https://evil.example' })
    expect([answer.status, me.cookies.has('_service_provider')]).toEqual([403, false])
  })

  test('and leads back to pages of this service alone', async () => {
    await account()
    const me = browserOf(forge.server)
    const { text } = await me.submit('/users/sign_in', '/users/auth/corp', { return_to: '//evil.example/' })
    const address = /url=([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await me.get(comesBack(provider, address))).location).toBe('/')
  })
})

describe('a provider that lies signs nobody in:', () => {
  test.each<[string, (liar: TestProvider) => void]>([
    ['an id token of another issuer', (liar) => (liar.lies.idToken = { iss: 'https://evil.example' })],
    ['one for another client', (liar) => (liar.lies.idToken = { aud: 'another' })],
    ['one with another nonce', (liar) => (liar.lies.idToken = { nonce: 'another' })],
    ['one without a nonce', (liar) => (liar.lies.idToken = { nonce: undefined })],
    ['one that has ended', (liar) => (liar.lies.idToken = { exp: Math.floor(Date.now() / 1000) - 3600 })],
    ['one that is not signed', (liar) => (liar.lies.signature = 'unsigned')],
    ['one that is signed by another key', (liar) => (liar.lies.signature = 'another')],
    ['an empty subject', (liar) => (liar.lies.idToken = { sub: '' })],
    ['a subject that is too long', (liar) => (liar.lies.idToken = { sub: 'x'.repeat(256) })],
  ])('%s', async (_, lie) => {
    await account()
    lie(provider)
    const me = browserOf(forge.server)
    const answer = await signIn(me)
    expect([answer.status, sentenceOf(answer), await whoIs(me)]).toEqual([403, 'Signing in through Corp failed. Start again.', null])
  })

  test('the same address under another subject is another person', async () => {
    const me = browserOf(forge.server)
    await signIn(me)
    provider.claims = { ...provider.claims, sub: 'taken-over' }
    expect(sentenceOf(await signIn())).toMatch(/^There is an account with your email address/)
  })

  test('who did not want to is told so', async () => {
    const me = browserOf(forge.server)
    const back = comesBack(provider, await leave(me), { error: 'access_denied' }).replace(/code=[^&]+&/, '')
    expect(sentenceOf(await me.get(back))).toBe('You did not sign in through Corp.')
  })
})

describe('discovery', () => {
  async function started(change: Partial<TestProvider['lies']>): Promise<{ status: number; asked: string[] }> {
    const liar = await testProvider({ name: 'liar' })
    liar.lies = change
    const { openid } = forge.app.config.identity_providers
    openid.push(liar.settings)
    const me = browserOf(forge.server)
    const shown = await me.submit('/users/sign_in', '/users/auth/liar')
    const address = /url=([^"]+)"/.exec(shown.text)?.[1]?.replaceAll('&amp;', '&')
    const { status } = address === undefined ? shown : await me.get(comesBack(liar, address))
    openid.splice(openid.indexOf(liar.settings), 1)
    return { status, asked: liar.asked }
  }

  test('of another issuer, or of a provider that is down, ends the sign-in', async () => {
    expect((await started({ discovery: { issuer: 'https://evil.example' } })).status).toBe(503)
    expect((await started({ isDown: true })).status).toBe(503)
  })

  test('leads no request into the network of the server, but to the provider itself', async () => {
    const inside = await testProvider()
    const { status } = await started({ discovery: { token_endpoint: `${inside.settings.issuer}/token` } })
    expect([status, inside.asked]).toEqual([403, []])
  })
})

describe('connecting', () => {
  const connectAs = (me: Browser) => signIn(me, '/profile/account')
  const identitiesOf = async ({ id }: TestUser) => (await forge.as(forge.root).get(`/users/${id}`)).body.identities

  test('an account is connected by who is signed in to it, and disconnected', async () => {
    const user = await forge.user({ password, email: String(provider.claims.email) })
    const me = await browserAs(forge, user)
    const answer = await connectAs(me)
    expect([answer.status, answer.location]).toEqual([303, '/profile/account'])
    expect(await identitiesOf(user)).toEqual([{ provider: 'corp', extern_uid: provider.claims.sub }])
    const other = browserOf(forge.server)
    await signIn(other)
    expect((await whoIs(other))?.id).toBe(user.id)
    expect((await me.submit('/profile/account', '/profile/account/disconnect')).status).toBe(303)
    expect(await identitiesOf(user)).toEqual([])
  })

  test('an identity is of one user, and a user has one of each provider', async () => {
    const owner = await account()
    const user = await forge.user({ password })
    const me = await browserAs(forge, user)
    expect(sentenceOf(await connectAs(me))).toBe('This account of Corp is connected to another user here.')
    provider.claims = { ...provider.claims, sub: `own-${people}` }
    await connectAs(me)
    expect([await identitiesOf(owner), await identitiesOf(user)]).toMatchObject([[{}], [{ extern_uid: `own-${people}` }]])
  })

  test('the only way to sign in stays', async () => {
    const me = browserOf(forge.server)
    await signIn(me)
    expect((await me.get('/profile/account')).text).not.toContain('action="/profile/account/disconnect"')
    const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/profile/account')).text)?.[1] ?? ''
    const answer = await me.post('/profile/account/disconnect', { form_token: token, provider: 'corp' })
    expect([answer.status, answer.text.includes('It is your only way to sign in.')]).toEqual([422, true])
    expect((await me.get('/profile/password')).text).toContain('Your account has no password here')
  })

  test('an administrator who acts as a user connects nothing for them', async () => {
    const [admin, user] = [await forge.user({ password, admin: true }), await forge.user()]
    const me = await browserAs(forge, admin)
    await me.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
    const answer = await me.submit('/profile/account', '/users/auth/corp')
    expect([answer.status, me.cookies.has('_service_provider')]).toEqual([403, false])
  })

  test('what one session has begun, another one doesn’t end', async () => {
    const [one, other] = [await forge.user({ password }), await forge.user({ password })]
    const me = await browserAs(forge, one)
    const back = comesBack(provider, await leave(me, '/profile/account'))
    await me.submit('/', '/users/sign_out')
    await me.submit('/users/sign_in', '/users/sign_in', { login: other.username, password })
    expect((await me.get(back)).status).toBe(403)
    expect([await identitiesOf(one), await identitiesOf(other)]).toEqual([[], []])
  })
})

test('a second Gitstead signs its users in through the first', async () => {
  const first = await openForge()
  first.app.config.url = await first.url()
  const application = await anApplication(first, { redirect_uri: 'https://second.example/users/auth/first/callback' })
  const settings = { ...provider.settings, name: 'first', label: 'First', issuer: first.app.config.url, client_id: application.client_id }
  const openid = [{ ...settings, client_secret: application.client_secret ?? null }]
  const second = await openForge({ config: { url: 'https://second.example', identity_providers: { openid, ldap: null } } })
  const user = await first.user({ password, username: 'ada', name: 'Ada Lovelace' })
  const there = await browserAs(first, user)

  const here = browserOf(second.server)
  const { text } = await here.submit('/users/sign_in?return_to=%2Fprofile', '/users/auth/first')
  const address = new URL(/url=([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '')
  const { location } = await there.submit(address.pathname + address.search, '/oauth/authorize', { decision: 'allow' })
  const back = new URL(location ?? '')
  expect(back.origin).toBe('https://second.example')
  const answer = await here.get(back.pathname + back.search)
  expect([answer.status, answer.location]).toEqual([303, '/profile'])
  const made = JSON.parse((await here.get('/api/v4/user')).text)
  const identities = [{ provider: 'first', extern_uid: String(user.id) }]
  expect(made).toMatchObject({ username: 'ada', name: 'Ada Lovelace', email: user.email, identities })
})
