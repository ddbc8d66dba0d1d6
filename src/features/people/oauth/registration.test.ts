/** Dynamic registration: off unless it is turned on; what registers itself says so, and is never trusted. */
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, openForge } from '../../../../test/support/forge.ts'
import { authorizeAddress, browserAs, challenge } from '../../../../test/support/oauth.ts'

const redirect_uri = 'http://127.0.0.1/callback'
const wanted = { client_name: 'Agent', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }
let forge: Forge

beforeAll(async () => {
  forge = await openForge({ config: { oauth_registration: true } })
  forge.app.config.url = await forge.url()
})

test('a program registers itself by a client library, and is shown as a stranger', async () => {
  const server = new URL(forge.app.config.url)
  const config = await client.dynamicClientRegistration(server, wanted, client.None(), { execute: [client.allowInsecureRequests] })
  const { client_id, client_secret } = config.clientMetadata()
  expect(client_secret).toBeUndefined()

  const user = await forge.user({ password: 'correct horse battery' })
  const me = await browserAs(forge, user)
  const proof = { redirect_uri, code_challenge: challenge, code_challenge_method: 'S256' }
  const { text } = await me.get(authorizeAddress({ id: 0, client_id, client_secret }, proof))
  expect(text).toContain('Nobody here vouches for it')
  expect((await forge.as(forge.root).get('/applications')).body).toMatchObject([{ application_id: client_id, confidential: false }])
})

test('a program with a secret learns it once', async () => {
  const { status, body } = await forge.anonymous.post('//oauth/register', { ...wanted, token_endpoint_auth_method: 'client_secret_post' })
  expect([status, body]).toMatchObject([201, { client_secret: expect.stringMatching(/^gstos-/), client_secret_expires_at: 0 }])
})

test.each([
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['http://app.example/'] }, 'invalid_redirect_uri'],
  [{ scope: 'api sudo' }, 'invalid_client_metadata'],
  [{ scope: 'root' }, 'invalid_client_metadata'],
  [{ client_name: ' ' }, 'invalid_client_metadata'],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_request'],
])('%j is refused', async (change, error) => {
  const { status, body } = await forge.anonymous.post('//oauth/register', { ...wanted, ...change })
  expect([status, body.error]).toEqual([400, error])
})

test('where it is off, nobody registers anything, and discovery doesn’t name it', async () => {
  forge.app.config.oauth_registration = false
  const { status, body } = await forge.anonymous.post('//oauth/register', wanted)
  expect([status, body.error]).toEqual([404, 'invalid_request'])
  expect((await forge.anonymous.get('//.well-known/openid-configuration')).body.registration_endpoint).toBeUndefined()
})
