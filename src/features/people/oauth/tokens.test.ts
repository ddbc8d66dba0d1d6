/** Tokens of applications: how they are replaced, revoked and asked about, and when they end. */
import { beforeAll, expect, test } from 'vitest'
import { altered } from '../../../../test/support/altered.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import {
  anApplication,
  browserAs,
  decide,
  postForm,
  redeem,
  refresh,
  type TestApplication,
  tokensFor,
} from '../../../../test/support/oauth.ts'
import { findOAuthToken } from '../../../access/oauth-tokens.ts'
import { digestOf } from '../../../access/tokens.ts'
import { pruneOAuth } from './oauth.jobs.ts'

const password = 'correct horse battery'
let forge: Forge
let user: TestUser
let application: TestApplication

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user({ password })
  application = await anApplication(forge)
})

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const statusWith = async (token: string) => (await forge.anonymous.get('/user', bearer(token))).status
const invalidGrant = { error: 'invalid_grant', error_description: expect.any(String) }
const secretOf = ({ client_id, client_secret }: TestApplication) => ({ client_id, client_secret })

test('a token is sent as a bearer token or as the parameter access_token', async () => {
  const { access_token } = await tokensFor(forge, user, application)
  expect((await forge.anonymous.get('/user', bearer(access_token))).body.id).toBe(user.id)
  expect((await forge.anonymous.get(`/user?access_token=${access_token}`)).body.id).toBe(user.id)
  expect(await statusWith(altered(access_token))).toBe(401)
})

test('a token costs one statement', async () => {
  const { access_token } = await tokensFor(forge, user, application)
  await findOAuthToken(forge.app.db, access_token)
  expect((await forge.cost(() => findOAuthToken(forge.app.db, access_token))).statements).toBe(1)
})

test('a refresh token is replaced, together with its access token', async () => {
  const first = await tokensFor(forge, user, application, 'api read_user')
  const { status, body: second } = await refresh(forge, application, first.refresh_token)
  expect([status, second.scope]).toEqual([200, 'api read_user'])
  expect([await statusWith(first.access_token), await statusWith(second.access_token)]).toEqual([401, 200])
  const fewer = await postForm(forge, '/oauth/token', {
    ...secretOf(application),
    grant_type: 'refresh_token',
    refresh_token: second.refresh_token,
    scope: 'read_user',
  })
  expect(fewer.body.scope).toBe('read_user')
})

test('a refresh token that comes back ends all that goes back to the same grant', async () => {
  const first = await tokensFor(forge, user, application)
  const { body: second } = await refresh(forge, application, first.refresh_token)
  const replayed = await refresh(forge, application, first.refresh_token)
  expect([replayed.status, replayed.body]).toEqual([400, invalidGrant])
  expect(await statusWith(second.access_token)).toBe(401)
  expect((await refresh(forge, application, second.refresh_token)).body).toEqual(invalidGrant)
})

test('of two who refresh at once one gets tokens, and these end', async () => {
  const { refresh_token } = await tokensFor(forge, user, application)
  const answers = await Promise.all([refresh(forge, application, refresh_token), refresh(forge, application, refresh_token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await statusWith(answers.find(({ status }) => status === 200)?.body.access_token)).toBe(401)
})

test('a refresh gives no more scopes than there were, and no other client anything', async () => {
  const { refresh_token } = await tokensFor(forge, user, application, 'read_user')
  const more = await postForm(forge, '/oauth/token', { ...secretOf(application), grant_type: 'refresh_token', refresh_token, scope: 'api' })
  expect([more.status, more.body.error]).toEqual([400, 'invalid_scope'])
  const other = await anApplication(forge, { name: 'Another' })
  expect((await refresh(forge, other, refresh_token)).body).toEqual(invalidGrant)
  expect((await refresh(forge, application, refresh_token)).status).toBe(200)
})

test('an access token ends after two hours', async () => {
  const { access_token } = await tokensFor(forge, user, application)
  const { db } = forge.app
  const own = db
    .updateTable('oauth_tokens')
    .set({ expires_at: new Date(0).toISOString() })
    .where('digest', '=', digestOf(access_token))
  await own.execute()
  const { status, body } = await forge.anonymous.get('/user', bearer(access_token))
  expect([status, body.error]).toEqual([401, 'invalid_token'])
})

test('a blocked user’s tokens and codes are good for nothing, and stay so', async () => {
  const blocked = await forge.user({ password })
  const { access_token, refresh_token } = await tokensFor(forge, blocked, application)
  const { code } = await decide(await browserAs(forge, blocked), application, { prompt: 'consent' })
  await forge.as(forge.root).post(`/users/${blocked.id}/block`)
  expect(await statusWith(access_token)).toBe(401)
  await forge.as(forge.root).post(`/users/${blocked.id}/unblock`)
  expect(await statusWith(access_token)).toBe(401)
  expect((await refresh(forge, application, refresh_token)).body).toEqual(invalidGrant)
  expect((await redeem(forge, application, code)).body).toEqual(invalidGrant)
})

test('tokens end with their user and with their application', async () => {
  const gone = await forge.user({ password })
  const short = await anApplication(forge, { name: 'Short-lived' })
  const ofGone = await tokensFor(forge, gone, application)
  const ofShort = await tokensFor(forge, user, short)
  await forge.as(forge.root).delete(`/users/${gone.id}`)
  await forge.as(forge.root).delete(`/applications/${short.id}`)
  await forge.drain()
  expect([await statusWith(ofGone.access_token), await statusWith(ofShort.access_token)]).toEqual([401, 401])
  expect((await refresh(forge, short, ofShort.refresh_token)).body.error).toBe('invalid_client')
})

test('either token of a grant revokes it; an unknown one is no error, another client’s is', async () => {
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const tokens = await tokensFor(forge, user, application)
    const other = await anApplication(forge, { name: 'Another' })
    const refused = await postForm(forge, '/oauth/revoke', { ...secretOf(other), token: tokens[kind] })
    expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client'])
    expect(await statusWith(tokens.access_token)).toBe(200)
    const { status, body } = await postForm(forge, '/oauth/revoke', { ...secretOf(application), token: tokens[kind] })
    expect([status, body, await statusWith(tokens.access_token)]).toEqual([200, {}, 401])
  }
  expect((await postForm(forge, '/oauth/revoke', { ...secretOf(application), token: 'unknown' })).status).toBe(200)
})

test('a client asks about its own tokens, and learns nothing of others', async () => {
  const { access_token, refresh_token } = await tokensFor(forge, user, application)
  const ask = (client: TestApplication, token: string) => postForm(forge, '/oauth/introspect', { ...secretOf(client), token })
  expect((await ask(application, access_token)).body).toMatchObject({
    active: true,
    scope: 'api',
    client_id: application.client_id,
    username: user.username,
    sub: String(user.id),
  })
  expect((await ask(application, refresh_token)).body.active).toBe(true)
  expect((await ask(await anApplication(forge), access_token)).body).toEqual({ active: false })
  expect((await ask(application, user.token)).body).toEqual({ active: false })
  await refresh(forge, application, refresh_token)
  expect((await ask(application, access_token)).body).toEqual({ active: false })
  expect((await postForm(forge, '/oauth/introspect', { token: access_token })).body.error).toBe('invalid_client')
})

test('the holder of a token asks what it is good for', async () => {
  const { access_token } = await tokensFor(forge, user, application, 'read_user')
  const { status, body } = await forge.anonymous.get('//oauth/token/info', bearer(access_token))
  expect([status, body]).toMatchObject([
    200,
    { resource_owner_id: user.id, scope: ['read_user'], application: { uid: application.client_id }, created_at: expect.any(Number) },
  ])
  expect(body.expires_in).toBeGreaterThan(7_000)
  const wrong = await forge.anonymous.get('//oauth/token/info')
  expect([wrong.status, wrong.body.error, wrong.headers['www-authenticate']]).toEqual([
    401,
    'invalid_token',
    'Bearer error="invalid_token"',
  ])
})

test('an application itself gets a token that acts for nobody', async () => {
  const { status, body } = await postForm(forge, '/oauth/token', { ...secretOf(application), grant_type: 'client_credentials' })
  expect([status, body.refresh_token]).toEqual([200, undefined])
  expect((await forge.anonymous.get('//oauth/token/info', bearer(body.access_token))).body.resource_owner_id).toBeNull()
  for (const path of ['/user', '/projects']) expect((await forge.anonymous.get(path, bearer(body.access_token))).status).toBe(401)
  const native = await anApplication(forge, { confidential: false })
  const refused = await postForm(forge, '/oauth/token', { client_id: native.client_id, grant_type: 'client_credentials' })
  expect(refused.body.error).toBe('unauthorized_client')
})

test('a user name and a password are good for a token, with an application and without', async () => {
  const credentials = { grant_type: 'password', username: user.username, password }
  for (const client of [secretOf(application), {}]) {
    const { status, body } = await postForm(forge, '/oauth/token', { ...client, ...credentials })
    expect([status, await statusWith(body.access_token)]).toEqual([200, 200])
  }
  const wrong = await postForm(forge, '/oauth/token', { ...credentials, password: 'wrong' })
  expect([wrong.status, wrong.body]).toEqual([400, invalidGrant])
})

test('a client identifies itself by Basic or in the body, not in both', async () => {
  const { client_id, client_secret } = application
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  const fields = { grant_type: 'client_credentials' }
  expect((await postForm(forge, '/oauth/token', fields, { authorization })).status).toBe(200)
  const both = await postForm(forge, '/oauth/token', { ...fields, client_id, client_secret }, { authorization })
  expect(both.body.error).toBe('invalid_request')
  const wrong = await postForm(forge, '/oauth/token', fields, {
    authorization: `Basic ${Buffer.from(`${client_id}:no`).toString('base64')}`,
  })
  expect([wrong.status, wrong.body.error, wrong.headers['www-authenticate']]).toEqual([401, 'invalid_client', 'Basic realm="OAuth"'])
})

test.each([
  [{}, 'invalid_request'],
  [{ grant_type: 'implicit' }, 'unsupported_grant_type'],
  [{ grant_type: 'authorization_code' }, 'invalid_request'],
  [{ grant_type: 'refresh_token', refresh_token: 'unknown' }, 'invalid_grant'],
])('%j is refused with %s', async (fields, error) => {
  const { status, body } = await postForm(forge, '/oauth/token', { ...secretOf(application), ...fields })
  expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }])
})

test('an application can’t create tokens that outlive what its user allowed', async () => {
  const { access_token } = await tokensFor(forge, user, application)
  const { status } = await forge.anonymous.post('/user/personal_access_tokens', { name: 'x', scopes: ['api'] }, bearer(access_token))
  expect(status).toBe(403)
})

test('pages of any origin may ask for tokens, and none may show the user’s decision', async () => {
  const origin = { origin: 'https://app.example' }
  const { headers } = await postForm(forge, '/oauth/token', { grant_type: 'implicit' }, origin)
  expect(headers['access-control-allow-origin']).toBe('*')
  expect((await forge.anonymous.get('//oauth/authorize', { headers: origin })).headers['access-control-allow-origin']).toBeUndefined()
})

test('what counts for nothing any more is deleted, and what can be refreshed stays', async () => {
  const kept = await tokensFor(forge, user, application)
  const old = await tokensFor(forge, user, application)
  const { db } = forge.app
  const digest = digestOf(old.access_token)
  const { grant_id } = await db.selectFrom('oauth_tokens').select('grant_id').where('digest', '=', digest).executeTakeFirstOrThrow()
  const long_ago = new Date(0).toISOString()
  await db.updateTable('oauth_tokens').set({ expires_at: long_ago }).where('digest', '=', digest).execute()
  await db.updateTable('oauth_codes').set({ expires_at: long_ago }).where('grant_id', '=', grant_id).execute()
  await db.updateTable('oauth_grants').set({ created_at: long_ago }).where('id', '=', grant_id).execute()
  await pruneOAuth.handle(forge.app, {})
  expect(await db.selectFrom('oauth_grants').select('id').where('id', '=', grant_id).execute()).toEqual([])
  expect((await refresh(forge, application, kept.refresh_token)).status).toBe(200)
})
