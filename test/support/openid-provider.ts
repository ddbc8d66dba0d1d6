/** An OpenID Connect provider for tests: it signs any claims, and each of its answers can be falsified. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import type { OpenIdProvider } from '../../src/outgoing/identity-providers/openid-settings.ts'
import { atEndOfFile } from './run/cleanup.ts'

export interface TestProvider {
  /** Its configuration at a client. */
  settings: OpenIdProvider
  /** The claims in the next id token. */
  claims: JWTPayload
  /** The answer of the userinfo endpoint, if it isn't the claims. */
  userInfo: Record<string, unknown> | null
  /** Falsified answers for a test; `honest` resets them. */
  lies: Partial<Lies>
  honest: () => void
  /** Requests received, such as `POST /token`. */
  asked: string[]
  /** The nonce of each code. */
  nonces: Map<string, string>
}

interface Lies {
  discovery: Record<string, unknown>
  /** `unsigned`, or signed by `another` key than the published one. */
  signature: 'unsigned' | 'another'
  idToken: JWTPayload
  isDown: boolean
}

export async function testProvider(change: Partial<OpenIdProvider> = {}): Promise<TestProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const another = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const nonces = new Map<string, string>()
  const answers: Record<string, (request: IncomingMessage) => unknown> = {
    'GET /.well-known/openid-configuration': () => ({
      issuer: provider.settings.issuer,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...provider.lies.discovery,
    }),
    'GET /keys': () => ({ keys: [jwk] }),
    'GET /userinfo': () => provider.userInfo ?? provider.claims,
    async 'POST /token'(request) {
      const sent = new URLSearchParams(await text(request))
      const claims = {
        iss: provider.settings.issuer,
        aud: provider.settings.client_id,
        nonce: nonces.get(sent.get('code') ?? ''),
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 60,
        ...provider.claims,
        ...provider.lies.idToken,
      }
      return { access_token: 'a', token_type: 'Bearer', id_token: await signed(claims) }
    },
  }
  const signed = (claims: JWTPayload) => {
    if (provider.lies.signature === 'unsigned') return new UnsecuredJWT(claims).encode()
    const key = provider.lies.signature === 'another' ? another.privateKey : privateKey
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key)
  }
  const server = createServer(async (request, reply) => {
    const at = `${request.method} ${request.url?.split('?')[0]}`
    provider.asked.push(at)
    if (provider.lies.isDown) return reply.destroy()
    const answer = await answers[at]?.(request)
    reply.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(async () => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: TestProvider = {
    settings: {
      name: 'corp',
      label: 'Corp',
      issuer: url,
      client_id: 'gitstead',
      client_secret: 'secret',
      scopes: 'openid profile email',
      sign_up: null,
      trusts_email: false,
      ...change,
    },
    claims: {},
    userInfo: null,
    lies: {},
    asked: [],
    nonces,
    honest() {
      provider.lies = {}
      provider.userInfo = null
    },
  }
  return provider
}

/** The URL to which the provider sends the browser back, for the URL to which it was redirected. */
export function comesBack(provider: TestProvider, address: string, change: Record<string, string> = {}): string {
  const asked = new URL(address).searchParams
  const code = `code-${provider.nonces.size}`
  provider.nonces.set(code, asked.get('nonce') ?? '')
  const back = new URL(asked.get('redirect_uri') ?? '')
  return `${back.pathname}?${new URLSearchParams({ code, state: asked.get('state') ?? '', ...change })}`
}
