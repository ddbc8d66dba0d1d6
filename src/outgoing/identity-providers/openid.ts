/**
 * Sign-in with OpenID Connect providers: discovery, the URL that a browser is sent to, and who came back. Code flow with PKCE, state and
 * nonce; the signature of the id token is verified, too.
 */
import * as client from 'openid-client'
import { Failure } from '../../failure.ts'
import { post } from '../post.ts'
import { pinTarget, readTarget } from '../ssrf-guard.ts'
import type { OpenIdProvider } from './openid-settings.ts'

/** Values kept in the browser while it is at the provider. */
export interface Proofs {
  state: string
  nonce: string
  verifier: string
}

/** Claims of a provider about the person who signed in. */
export interface OpenIdPerson {
  /** Identifies the person at this provider permanently. */
  subject: string
  email: string | null
  isEmailVerified: boolean
  username: string | null
  name: string | null
}

/** Whether a provider may name endpoints in the server's network, besides those at its own origin. */
export type AllowsLocal = () => Promise<boolean>

const deadline_ms = 10_000
const max_bytes = 1_048_576
const discoveredFor_ms = 3_600_000
const clockTolerance_s = 30
/** OpenID Connect Core 1.0, 2. */
const longestSubject = 255

interface Discovered {
  config: Promise<client.Configuration>
  ends_at: number
}

const discovered = new WeakMap<OpenIdProvider, Discovered>()

/** The URL for the sign-in, and the values that prove that we started it. Throws if the provider can't be reached. */
export async function startSignIn(
  provider: OpenIdProvider,
  redirect_uri: string,
  allowsLocal: AllowsLocal,
): Promise<{ address: string; proofs: Proofs }> {
  const config = await configOf(provider, allowsLocal)
  const proofs = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: provider.scopes,
    state: proofs.state,
    nonce: proofs.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(proofs.verifier),
    code_challenge_method: 'S256',
  })
  return { address: address.href, proofs }
}

/** The person who signed in, from the URL that the browser came back to. Throws if anything in it is wrong. */
export async function finishSignIn(provider: OpenIdProvider, cameTo: URL, proofs: Proofs, allowsLocal: AllowsLocal): Promise<OpenIdPerson> {
  const config = await configOf(provider, allowsLocal)
  const tokens = await client.authorizationCodeGrant(config, cameTo, {
    pkceCodeVerifier: proofs.verifier,
    expectedState: proofs.state,
    expectedNonce: proofs.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('the provider sent no id token')
  if (claims.sub === '' || claims.sub.length > longestSubject || claims.sub.includes('\0')) throw new Error('the subject is malformed')
  // Many providers keep the id token small, and return the address from the userinfo endpoint.
  const asks = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
  const told = asks ? { ...claims, ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)) } : claims
  return {
    subject: claims.sub,
    email: textOf(told.email),
    isEmailVerified: told.email_verified === true,
    username: textOf(told.preferred_username) ?? textOf(told.nickname),
    name: textOf(told.name),
  }
}

/** Whether the provider reported that the person declined. */
export function wasDenied(error: unknown): boolean {
  return error instanceof client.AuthorizationResponseError && error.error === 'access_denied'
}

/** The reason for the log, without tokens or codes. */
export function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: unknown }
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return `${typeof code === 'string' ? `${code}: ` : ''}${message}${why}`.slice(0, 500)
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null
}

/** Requested once an hour per provider, and again after a failure. */
function configOf(provider: OpenIdProvider, allowsLocal: AllowsLocal): Promise<client.Configuration> {
  const known = discovered.get(provider)
  if (known && known.ends_at > Date.now()) return known.config
  const config = discover(provider, allowsLocal)
  discovered.set(provider, { config, ends_at: Date.now() + discoveredFor_ms })
  config.catch(() => discovered.delete(provider))
  return config
}

function discover(provider: OpenIdProvider, allowsLocal: AllowsLocal): Promise<client.Configuration> {
  const { issuer, client_id } = provider
  const plain = issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
  return client.discovery(new URL(issuer), client_id, { [client.clockTolerance]: clockTolerance_s }, authenticationOf(provider), {
    [client.customFetch]: fetchFor(provider, allowsLocal),
    execute: [client.enableNonRepudiationChecks, ...plain],
  })
}

function authenticationOf({ client_secret }: OpenIdProvider): client.ClientAuth {
  if (client_secret === null) return client.None()
  const [inHeader, inBody] = [client.ClientSecretBasic(client_secret), client.ClientSecretPost(client_secret)]
  // Basic authentication is the default (OpenID Connect Discovery 1.0, 3).
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...request)
  }
}

/**
 * Requests that pass the guard: the administrator has named the issuer, which may be in the local network. Other origins named by the
 * provider are subject to the rules for URLs of users. Redirects are not followed.
 */
function fetchFor({ issuer }: OpenIdProvider, allowsLocal: AllowsLocal): client.CustomFetch {
  return async (url, { method, headers, body }) => {
    const rules = { local: new URL(url).origin === new URL(issuer).origin || (await allowsLocal()) }
    const target = await pinTarget(readTarget(url, rules), rules)
    const isRead = method === 'GET'
    if (!isRead && method !== 'POST') throw new Failure('invalid', `No request by ${method}`)
    const sent = Buffer.from(body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : '')
    const answer = await post(target, { method: isRead ? 'GET' : 'POST', headers, body: sent, deadline_ms, max_bytes, verifies: true })
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
  }
}
