/** OAuth 2.0 and OpenID Connect as an unmodified client library speaks them: discovery, every kind of grant, signed id tokens. */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { anApplication, browserAs, type TestApplication, tokensFor } from '../../../../test/support/oauth.ts'

const redirect_uri = 'https://app.example/callback'
let forge: Forge
let url: string
let user: TestUser
let application: TestApplication
let native: TestApplication
let me: Browser

beforeAll(async () => {
  forge = await openForge()
  // The issuer is the address of the configuration: a client that was led elsewhere refuses it.
  url = await forge.url()
  forge.app.config.url = url
  user = await forge.user({ password: 'correct horse battery' })
  application = await anApplication(forge)
  native = await anApplication(forge, { confidential: false })
  me = await browserAs(forge, user)
})

const insecure = { execute: [client.allowInsecureRequests] }

function discover({ client_id, client_secret }: TestApplication): Promise<client.Configuration> {
  const authentication = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret)
  return client.discovery(new URL(url), client_id, undefined, authentication, insecure)
}

/** Exchanges a code with the client library, which makes its own checks of each answer. */
async function signIn(config: client.Configuration, scope: string) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const at = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope,
    state: expectedState,
    nonce: expectedNonce,
    prompt: 'consent',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const { location } = await me.submit(at.pathname + at.search, '/oauth/authorize', { decision: 'allow' })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  return client.authorizationCodeGrant(config, new URL(location ?? ''), checks)
}

test('confidential and public clients sign in with a code, refresh, read the user, and revoke', async () => {
  for (const one of [application, native]) {
    const config = await discover(one)
    const tokens = await signIn(config, 'openid profile email')
    const claims = tokens.claims()
    expect(claims).toMatchObject({ iss: url, aud: one.client_id, sub: String(user.id), nickname: user.username, email: user.email })

    const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
    expect(info).toMatchObject({ name: user.name, email_verified: true, groups: [], profile: `${url}/${user.username}` })

    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.claims()?.sub).toBe(String(user.id))
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token)
    await expect(client.fetchUserInfo(config, tokens.access_token, String(user.id))).rejects.toThrow()
    await client.tokenRevocation(config, fresh.access_token)
    await expect(client.fetchUserInfo(config, fresh.access_token, String(user.id))).rejects.toThrow()
  }
})

test('the groups of a user are told by their full paths', async () => {
  const owner = await forge.user({ password: 'correct horse battery' })
  const group = await forge.group({ owner })
  const inner = await forge.group({ parent: group })
  const { access_token } = await tokensFor(forge, owner, application, 'openid')
  const info = await client.fetchUserInfo(await discover(application), access_token, String(owner.id))
  expect(info.groups).toEqual([group.full_path, inner.full_path])
})

test('a client gets a token for itself, for a password and for a device, and asks about it', async () => {
  const config = await discover(application)
  const own = await client.clientCredentialsGrant(config, { scope: 'read_user' })
  expect(await client.tokenIntrospection(config, own.access_token)).toMatchObject({ active: true, scope: 'read_user' })

  const credentials = { username: user.username, password: 'correct horse battery', scope: 'api' }
  const byPassword = await client.genericGrantRequest(config, 'password', credentials)
  expect(await client.tokenIntrospection(config, byPassword.access_token)).toMatchObject({ active: true, username: user.username })

  const device = await client.initiateDeviceAuthorization(config, { scope: 'openid' })
  const asked = await me.submit('/oauth/device', '/oauth/device', { user_code: device.user_code })
  const form_token = /decision">.*?name="form_token" value="([^"]+)"/s.exec(asked.text)?.[1] ?? ''
  await me.post('/oauth/device/decision', { form_token, user_code: device.user_code, decision: 'allow' })
  const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
  expect(tokens.claims()?.sub).toBe(String(user.id))
})

test('an id token is signed by a published key, which stays the same', async () => {
  const { id_token = '' } = await signIn(await discover(application), 'openid')
  const { payload, protectedHeader } = await jwtVerify(id_token, createRemoteJWKSet(new URL(`${url}/oauth/discovery/keys`)), {
    issuer: url,
  })
  expect([protectedHeader.alg, payload.aud]).toEqual(['RS256', application.client_id])
  const { keys } = (await forge.anonymous.get('//oauth/discovery/keys')).body
  expect(keys).toEqual([{ kty: 'RSA', alg: 'RS256', use: 'sig', kid: protectedHeader.kid, e: expect.any(String), n: expect.any(String) }])
})

test('without the scope openid nobody is told who the user is', async () => {
  const { access_token } = await tokensFor(forge, user, application, 'read_user')
  const headers = { authorization: `Bearer ${access_token}` }
  const { status, body } = await forge.anonymous.get('//oauth/userinfo', { headers })
  expect([status, body.error]).toEqual([403, 'insufficient_scope'])
  expect((await forge.as(user).get('//oauth/userinfo')).status).toBe(401)
})
