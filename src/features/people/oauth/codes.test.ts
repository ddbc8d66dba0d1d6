/** Authorization codes: asked for on a page, redeemed once, by who asked for them, with the proof that they announced. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import {
  anApplication,
  authorizeAddress,
  browserAs,
  challenge,
  decide,
  redeem,
  redirect_uri,
  type TestApplication,
  toldBy,
  verifier,
} from '../../../../test/support/oauth.ts'
import { digestOf } from '../../../access/tokens.ts'

const password = 'correct horse battery'
let forge: Forge
let user: TestUser
let application: TestApplication
let native: TestApplication
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password })
  application = await anApplication(forge)
  native = await anApplication(forge, { confidential: false, redirect_uri: 'http://127.0.0.1/callback' })
  me = await browserAs(forge, user)
})

const again = { prompt: 'consent' }
const invalidGrant = [400, 'invalid_grant']
const statusWith = async (token: string) => (await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } })).status
const outcomeOf = ({ status, body }: Awaited<ReturnType<typeof redeem>>) => [status, body.error]

test('a code is redeemed for tokens with the scopes that the user saw', async () => {
  const told = await decide(me, application, { ...again, scope: 'read_user' })
  expect(told).toEqual({ code: expect.any(String), state: 'a-state', iss: forge.app.config.url })

  const { status, body, headers } = await redeem(forge, application, told.code)

  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    access_token: expect.stringMatching(/^gstoa-[0-9a-f]{40}$/),
    refresh_token: expect.stringMatching(/^gstor-[0-9a-f]{40}$/),
    token_type: 'bearer',
    expires_in: 7_200,
    scope: 'read_user',
    created_at: expect.any(Number),
  })
  const asApplication = { headers: { authorization: `Bearer ${body.access_token}` } }
  expect((await forge.anonymous.get('/user', asApplication)).body.username).toBe(user.username)
  expect((await forge.anonymous.get('/projects', asApplication)).body.error).toBe('insufficient_scope')
})

test('codes and tokens are stored as digests', async () => {
  const { code } = await decide(me, application, again)
  const { db } = forge.app
  expect(
    await db
      .selectFrom('oauth_codes')
      .select('digest')
      .where('digest', '=', digestOf(code ?? ''))
      .execute(),
  ).toHaveLength(1)
  const { body } = await redeem(forge, application, code)
  const rows = await db
    .selectFrom('oauth_tokens')
    .select(['digest', 'refresh_digest'])
    .where('digest', '=', digestOf(body.access_token))
    .execute()
  expect(rows).toEqual([{ digest: digestOf(body.access_token), refresh_digest: digestOf(body.refresh_token) }])
})

test('a code that is used twice ends what it gave', async () => {
  const { code } = await decide(me, application, again)
  const { body } = await redeem(forge, application, code)
  expect(await statusWith(body.access_token)).toBe(200)
  expect(outcomeOf(await redeem(forge, application, code))).toEqual(invalidGrant)
  expect(await statusWith(body.access_token)).toBe(401)
})

test('of two who redeem a code at once one gets tokens, and these end', async () => {
  const { code } = await decide(me, application, again)
  const answers = await Promise.all([redeem(forge, application, code), redeem(forge, application, code)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  const token = answers.find(({ status }) => status === 200)?.body.access_token
  expect(await statusWith(token)).toBe(401)
})

test('a stolen code is good for nobody else', async () => {
  const other = await anApplication(forge, { name: 'Another' })
  const { code } = await decide(me, application, again)
  expect(outcomeOf(await redeem(forge, other, code))).toEqual(invalidGrant)
  expect(outcomeOf(await redeem(forge, { ...application, client_secret: 'wrong' }, code))).toEqual([401, 'invalid_client'])
  expect(outcomeOf(await redeem(forge, { ...application, client_secret: undefined }, code))).toEqual([401, 'invalid_client'])
  for (const elsewhere of [`${redirect_uri}/`, `${redirect_uri}#`, redirect_uri.replace('https', 'http')])
    expect(outcomeOf(await redeem(forge, application, code, { redirect_uri: elsewhere }))).toEqual(invalidGrant)
  expect((await redeem(forge, application, code)).status).toBe(200)
})

test('a code ends after ten minutes', async () => {
  const { code } = await decide(me, application, again)
  const { db } = forge.app
  const digest = digestOf(code ?? '')
  const { expires_at } = await db.selectFrom('oauth_codes').select('expires_at').where('digest', '=', digest).executeTakeFirstOrThrow()
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(600_000)
  await db
    .updateTable('oauth_codes')
    .set({ expires_at: new Date(0).toISOString() })
    .where('digest', '=', digest)
    .execute()
  expect(outcomeOf(await redeem(forge, application, code))).toEqual(invalidGrant)
})

test('a challenge must be proved, by its own method, and can be neither dropped nor added', async () => {
  const S256 = { ...again, code_challenge: challenge, code_challenge_method: 'S256' }
  const { code } = await decide(me, application, S256)
  for (const fields of [{}, { code_verifier: challenge }, { code_verifier: `${verifier}x` }] as Array<Record<string, string>>)
    expect(outcomeOf(await redeem(forge, application, code, fields))).toEqual(invalidGrant)
  expect((await redeem(forge, application, code, { code_verifier: verifier })).status).toBe(200)

  const plain = await decide(me, application, { ...again, code_challenge: verifier })
  expect((await redeem(forge, application, plain.code, { code_verifier: verifier })).status).toBe(200)

  const without = await decide(me, application, again)
  expect(outcomeOf(await redeem(forge, application, without.code, { code_verifier: verifier }))).toEqual(invalidGrant)
})

test('a public application needs a challenge, and no secret', async () => {
  const loopback = 'http://127.0.0.1:49152/callback'
  const refused = await me.get(authorizeAddress(native, { redirect_uri: loopback }))
  expect(toldBy(refused.location)).toMatchObject({ error: 'invalid_request', state: 'a-state' })
  const proof = { redirect_uri: loopback, code_challenge: challenge, code_challenge_method: 'S256' }
  const { code } = await decide(me, native, proof)
  expect((await redeem(forge, native, code, { redirect_uri: loopback, code_verifier: verifier })).status).toBe(200)
  // It is asked for each time: another program may claim to be this one.
  expect((await me.get(authorizeAddress(native, proof))).status).toBe(200)
})

test.each([
  ['an unknown application', { client_id: 'unknown' }],
  ['a slash more', { redirect_uri: `${redirect_uri}/` }],
  ['a fragment', { redirect_uri: `${redirect_uri}#x` }],
  ['another scheme', { redirect_uri: redirect_uri.replace('https', 'http') }],
  ['another host', { redirect_uri: 'https://evil.example/callback' }],
  ['none', { redirect_uri: '' }],
])('with %s in the request nobody is led anywhere', async (_, parameters) => {
  const { status, location } = await me.get(authorizeAddress(application, parameters))
  expect([status, location]).toEqual([400, undefined])
})

test.each([
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
  [{ scope: 'root' }, 'invalid_scope'],
  [{ scope: 'sudo' }, 'invalid_scope'],
  [{ code_challenge: 'short' }, 'invalid_request'],
  [{ code_challenge: challenge, code_challenge_method: 'S512' }, 'invalid_request'],
  [{ code_challenge_method: 'S256' }, 'invalid_request'],
  [{ prompt: 'none login' }, 'invalid_request'],
  [{ prompt: 'none', scope: 'read_repository' }, 'consent_required'],
] as Array<[Record<string, string>, string]>)('with %j the application is told %s', async (parameters, error) => {
  const { status, location } = await me.get(authorizeAddress(application, parameters))
  expect([status, toldBy(location)]).toMatchObject([302, { error, state: 'a-state', iss: forge.app.config.url }])
})

test('the user is asked once, until they are asked for more, and not for a trusted application', async () => {
  const fresh = await anApplication(forge, { name: 'Fresh' })
  expect((await decide(me, fresh, { scope: 'api' }, 'deny')).error).toBe('access_denied')
  expect((await me.get(authorizeAddress(fresh))).text).toContain('Everything you may do')
  await decide(me, fresh, { scope: 'api' })
  expect(toldBy((await me.get(authorizeAddress(fresh))).location).code).toEqual(expect.any(String))
  expect((await me.get(authorizeAddress(fresh, { scope: 'api read_user' }))).status).toBe(200)
  const trusted = await anApplication(forge, { trusted: true })
  expect(toldBy((await me.get(authorizeAddress(trusted))).location).code).toEqual(expect.any(String))
})

test('who is not signed in signs in first, and comes back; a silent request is told so', async () => {
  const stranger = browserOf(forge.server)
  const at = authorizeAddress(application)
  expect((await stranger.get(at)).location).toBe(`/users/sign_in?return_to=${encodeURIComponent(at)}`)
  expect(toldBy((await stranger.get(authorizeAddress(application, { prompt: 'none' }))).location).error).toBe('login_required')
})

test('a form of another site lets nobody in', async () => {
  const fields = Object.fromEntries(new URLSearchParams(authorizeAddress(application).split('?')[1]))
  const { status, location } = await me.post('/oauth/authorize', { ...fields, decision: 'allow' })
  expect([status, location]).toEqual([403, undefined])
})
