/** Authorization requests: what an application requests of a user, and where the answer is sent. */
import { randomBytes } from 'node:crypto'
import type { ApplicationScope } from '../../../access/levels.ts'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { OAuthApplication, User } from '../../../db/tables.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { applicationByUid, isRegistered, redirectUrisOf } from '../oauth-applications/oauth-applications.ts'
import { openGrant } from './grants.service.ts'
import { insertCode, liveGrants } from './oauth.queries.ts'
import { type ChallengeMethod, isChallenge, isChallengeMethod } from './pkce.ts'
import { requestedScopes } from './tokens.service.ts'

/** The parameters of `/oauth/authorize`. */
export const authorizationParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
] as const

export type SentAuthorization = { [N in (typeof authorizationParameters)[number]]?: string | undefined }

export interface AuthorizationRequest {
  application: OAuthApplication
  redirect_uri: string
  scopes: ApplicationScope[]
  state: string | undefined
  nonce: string | null
  challenge: string | null
  challenge_method: ChallengeMethod | null
  prompts: string[]
}

/**
 * The request, or the URL that tells the application why it was rejected. Throws 400 if the application or its redirect URI is unknown:
 * users must not be redirected to where a stranger wants them.
 */
export async function readAuthorization(app: App, sent: SentAuthorization): Promise<AuthorizationRequest | { refusal: string }> {
  const application = await applicationByUid(app.db, sent.client_id ?? '')
  if (!application) throw new Failure('invalid', 'The application is unknown. Its client_id may be wrong, or it was deleted.')
  const { redirect_uri = '', state } = sent
  if (!isRegistered(redirectUrisOf(application), redirect_uri))
    throw new Failure('invalid', 'The redirect_uri is none of the addresses that the application has registered.')
  try {
    const scopes = requestedScopes(application, sent.scope)
    return { application, redirect_uri, scopes, state, nonce: sent.nonce ?? null, ...challengeOf(application, sent), ...kindOf(sent) }
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.body.error !== 'string') throw error
    return { refusal: answerAddress(app, { redirect_uri, state }, error.body as Record<string, string>) }
  }
}

function refused(error: string, error_description: string): Failure {
  return new Failure('invalid', error_description, { body: { error, error_description } })
}

/** Codes of public applications pass through devices of users, where others may read them, so these need a challenge (PKCE). */
function challengeOf({ confidential }: OAuthApplication, { code_challenge, code_challenge_method }: SentAuthorization) {
  if (code_challenge === undefined) {
    if (!confidential) throw refused('invalid_request', 'A public application must send a code_challenge.')
    if (code_challenge_method !== undefined) throw refused('invalid_request', 'The code_challenge is missing.')
    return { challenge: null, challenge_method: null }
  }
  const method = code_challenge_method ?? 'plain'
  if (!isChallengeMethod(method)) throw refused('invalid_request', 'The code_challenge_method must be S256 or plain.')
  if (!isChallenge(code_challenge)) throw refused('invalid_request', 'The code_challenge is malformed.')
  return { challenge: code_challenge, challenge_method: method }
}

function kindOf({ response_type, response_mode = 'query', prompt = '', nonce = '' }: SentAuthorization) {
  if (response_type !== 'code') throw refused('unsupported_response_type', 'The response_type must be code.')
  if (response_mode !== 'query') throw refused('invalid_request', 'The response_mode must be query.')
  if (nonce.length > 512 || nonce.includes('\0')) throw refused('invalid_request', 'The nonce is too long or malformed.')
  const prompts = prompt.split(' ').filter((word) => word !== '')
  if (prompts.includes('none') && prompts.length > 1) throw refused('invalid_request', 'The prompt none stands alone.')
  return { prompts }
}

/**
 * Whether the user must be asked: not for a trusted application, nor for scopes that they granted before, if nobody else can impersonate
 * the application.
 */
export async function needsConsent(app: App, user: User, { application, scopes, prompts }: AuthorizationRequest): Promise<boolean> {
  if (prompts.includes('consent')) return true
  if (application.trusted) return false
  if (!application.confidential) return true
  const grants = await liveGrants(app.db, user.id, application.id)
  return !grants.some((grant) => scopes.every((scope) => grant.scopes.split(' ').includes(scope)))
}

const codeLasts_s = 600

/** Grants it, and returns the URL that passes the code to the application. */
export async function allow(app: App, user: User, request: AuthorizationRequest): Promise<string> {
  if (user.kind !== 'human') throw forbidden('This is for the accounts of people.')
  const { application, scopes, nonce, redirect_uri, challenge, challenge_method } = request
  const code = randomBytes(32).toString('base64url')
  await inTransaction(app.db, async (tx) => {
    const grant = await openGrant(tx, { application_id: application.id, user_id: user.id, scopes: scopes.join(' '), nonce })
    const expires_at = new Date(Date.now() + codeLasts_s * 1000).toISOString()
    await insertCode(tx, { digest: digestOf(code), grant_id: grant.id, redirect_uri, challenge, challenge_method, expires_at })
  })
  return answerAddress(app, request, { code })
}

/** The URL that tells the application about the refusal. */
export function refusalAddress(app: App, request: AuthorizationRequest, error: string, error_description: string): string {
  return answerAddress(app, request, { error, error_description })
}

/** Includes the issuer (`iss`, RFC 9207), so that a client of several services can't be tricked into sending the code of one to another. */
function answerAddress(
  { config }: App,
  { redirect_uri, state }: Pick<AuthorizationRequest, 'redirect_uri' | 'state'>,
  answer: Record<string, string>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: config.url })
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`
}
