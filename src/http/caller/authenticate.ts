/** Authentication by token or session, and sudo (spec part 5). */
import type { FastifyRequest } from 'fastify'
import { findJobToken } from '../../access/job-tokens.ts'
import type { Scope } from '../../access/levels.ts'
import { anonymous, type Principal, scopesOf, userOf } from '../../access/principals.ts'
import { findSession, holderOfSession, isFormToken } from '../../access/sessions.ts'
import { refusalOfUser } from '../../access/states.ts'
import { awaitsTerms } from '../../access/terms.ts'
import { holderOf } from '../../access/token-holders.ts'
import { findUser, passwordHasExpired } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { badParameter, Failure, forbidden, notFound, unauthorized } from '../../failure.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { addressOf } from './address.ts'
import { cookieOf, sessionCookie } from './cookies.ts'
import { recordSudo } from './sudo.ts'

export interface Caller {
  principal: Principal
  /** Whether they have still to accept the terms. */
  awaits_terms: boolean
}

const nobody: Caller = { principal: anonymous, awaits_terms: false }

/** The parts of a request that determine which of its credentials are accepted. */
interface Admitting {
  /** Parameters of the body, once it has been read. */
  body?: Parameters | null
  /** Whether the endpoint accepts job tokens; otherwise they are ignored. */
  jobTokens: boolean
  /** Whether it takes a token as the password of HTTP Basic, for programs that know nothing else; elsewhere it says nothing. */
  basicAuth?: boolean
  /** Whether it takes the tokens of applications that act for nobody; elsewhere they are wrong. */
  applications?: boolean
}

/**
 * Reads the credentials of a request from its headers, its query and, once it has been read, its body. Throws 401 for invalid ones, rather
 * than treating the caller as anonymous.
 */
export async function authenticate(
  app: App,
  request: FastifyRequest,
  { body = null, jobTokens, basicAuth = false, applications = false }: Admitting,
): Promise<Caller> {
  const basic = basicAuth ? basicCredentials(request) : noCredentials
  const token = sentToken(request, body, basic)
  const target = sentSudo(request, body)
  // Beside a token of a user, that of a job says nothing.
  const ofJob = jobTokens && token === null ? sentJobToken(request, body, basic) : null
  if (ofJob !== null) {
    if (target !== null) throw unauthorized()
    return authenticateByJob(app, ofJob)
  }
  if (token === null) {
    if (target !== null) throw unauthorized()
    return authenticateBySession(app, request)
  }
  const found = await holderOf(app.db, token)
  if (!found) throw unauthorized()
  if (found.state !== 'valid') throw deadToken(found.state)
  const { principal: holder, awaits_terms } = found
  if (holder.kind === 'application') {
    if (target !== null || !applications) throw unauthorized()
    return { principal: holder, awaits_terms }
  }
  assertMayAct(holder.user)
  if (target === null) return { principal: holder, awaits_terms }
  const { user: owner, scopes } = holder
  const user = await sudo(app, owner, scopes, target, request)
  // Under sudo, a token has only the scopes it has for its own user, and can't sudo again.
  const principal = { kind: 'sudo', user, scopes: scopes.filter((scope) => scope !== 'sudo'), sudoer: owner } as const
  await recordSudo(app, principal, addressOf(request))
  return { principal, awaits_terms }
}

async function authenticateByJob(app: App, secret: string): Promise<Caller> {
  const found = await findJobToken(app.db, secret)
  if (!found) throw unauthorized()
  assertMayAct(found.user)
  const { user, job, terms_in_force } = found
  return { principal: { kind: 'job', user, job }, awaits_terms: awaitsTerms(user, terms_in_force) }
}

/** Whether the head of the request names a token: then its body doesn't decide who calls. */
export function namesToken(request: FastifyRequest, { jobTokens, basicAuth = false }: Admitting): boolean {
  const basic = basicAuth ? basicCredentials(request) : noCredentials
  return sentToken(request, null, basic) !== null || (jobTokens && sentJobToken(request, null, basic) !== null)
}

/** Whether the parameters of a body determine the caller. */
export function holdsCredentials({ private_token, access_token, sudo, job_token }: Parameters, { jobTokens }: Admitting): boolean {
  return [private_token, access_token, sudo, jobTokens ? job_token : undefined].some((value) => value !== undefined)
}

/** Whether the caller may act as another user. */
export function maySudo({ principal }: Caller): boolean {
  return userOf(principal)?.admin === true && scopesOf(principal).includes('sudo')
}

/**
 * An ended session is ignored. Browsers send the cookie with requests from any page, so by itself it allows only reading; writing requires
 * a header that only our own pages can send.
 */
async function authenticateBySession(app: App, request: FastifyRequest): Promise<Caller> {
  const secret = cookieOf(request, sessionCookie)
  if (secret === null || !(isRead(request) || isCsrfToken(request.headers['x-csrf-token'], secret))) return nobody
  const session = await findSession(app.db, secret)
  if (!session) return nobody
  assertMayAct(session.user)
  if (!session.impersonator && passwordHasExpired(session.user))
    throw forbidden(`Your password has expired. Choose another at ${app.config.url}/users/password`)
  if (session.awaits_second_factor) throw forbidden(`You must set up a second factor first, at ${app.config.url}/profile/two_factor_auth`)
  if (session.impersonator && !isRead(request)) {
    request.log.info({ impersonation: { by: session.impersonator, as: session.user.username } }, 'impersonation: write')
  }
  return { principal: holderOfSession(session, ['api', 'read_user']), awaits_terms: session.awaits_terms }
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether a form or script has sent the CSRF token of this cookie. */
export function isCsrfToken(sent: unknown, secret: string): boolean {
  return typeof sent === 'string' && isFormToken(sent, secret)
}

/** Throws 403 for users who haven't accepted the terms, with the URL if they can. */
export function requireTerms(app: App, { awaits_terms }: Caller): void {
  if (awaits_terms) throw forbidden(`You must accept the terms of service first, at ${app.config.url}/-/terms`)
}

/** Throws 403 unless the token has one of these scopes, or `api`, which allows everything but sudo. */
export function requireScope({ principal }: Caller, accepted: readonly Scope[]): void {
  const scopes = scopesOf(principal)
  if (userOf(principal) && !scopes.includes('api') && !scopes.some((scope) => accepted.includes(scope))) {
    throw insufficientScope(['api', ...accepted].join(' '))
  }
}

interface BasicCredentials {
  token: string | null
  job_token: string | null
}

const noCredentials: BasicCredentials = { token: null, job_token: null }

/** The password of HTTP Basic. The user beside it tells the token of a job, as in git, and nothing else: a token knows its user. */
function basicCredentials({ headers }: FastifyRequest): BasicCredentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(headers.authorization ?? '')?.[1]
  if (encoded === undefined) return noCredentials
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return user === 'gitlab-ci-token' ? { token: null, job_token: password } : { token: password, job_token: null }
}

/**
 * The token, however it was sent; null if there is none. Parameters that contradict the headers or each other are an error: the caller
 * would act as a user they didn't mean.
 */
function sentToken(request: FastifyRequest, body: Parameters | null, { token }: BasicCredentials): string | null {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const inHead = request.headers['private-token'] || bearer
  const inParameters = [request.query as Parameters, body ?? {}].flatMap(({ private_token, access_token }) => [private_token, access_token])
  return theOne([inHead, token, ...inParameters])
}

/** As `sentToken`, for the token of a job. */
function sentJobToken(request: FastifyRequest, body: Parameters | null, { job_token }: BasicCredentials): string | null {
  return theOne([request.headers['job-token'], job_token, (request.query as Parameters).job_token, body?.job_token])
}

function theOne(values: unknown[]): string | null {
  const [token, ...others] = new Set(values.filter((sent) => sent !== undefined && sent !== null && sent !== ''))
  if (token === undefined) return null
  if (typeof token !== 'string' || others.length > 0) throw unauthorized()
  return token
}

/**
 * The user to act as; null if none is named. An empty name is an error, since a script that lost the name would otherwise act as the
 * administrator; so are two different names.
 */
function sentSudo(request: FastifyRequest, body: Parameters | null): string | null {
  const sent = [(request.query as Parameters).sudo, body?.sudo, request.headers.sudo].filter((name) => name !== undefined)
  const [name, ...others] = new Set(sent.map((name) => (typeof name === 'string' || typeof name === 'number' ? String(name) : '')))
  if (others.length > 0) throw badParameter('sudo is invalid')
  return name ?? null
}

async function sudo(app: App, administrator: User, scopes: readonly Scope[], target: string, request: FastifyRequest): Promise<User> {
  if (!administrator.admin) throw forbidden('Must be admin to use sudo')
  if (!scopes.includes('sudo')) throw insufficientScope('sudo')
  const user = await findUser(app.db, target)
  if (!user) throw notFound(`User with ID or username '${target}'`)
  assertMayAct(user)
  request.log.info({ sudo: { by: administrator.username, as: user.username } }, 'sudo')
  return user
}

function assertMayAct(user: User): void {
  const refusal = refusalOfUser(user)
  if (refusal !== null) throw forbidden(refusal)
}

function insufficientScope(scope: string): Failure {
  const description = 'The request requires higher privileges than provided by the access token.'
  return new Failure('insufficient_scope', description, { body: { error: 'insufficient_scope', error_description: description, scope } })
}

function deadToken(state: 'expired' | 'revoked'): Failure {
  const description =
    state === 'expired'
      ? 'Token is expired. You can either do re-authorization or token refresh.'
      : 'Token was revoked. You have to re-authorize from the user.'
  return new Failure('unauthorized', '401 Unauthorized', {
    body: { message: '401 Unauthorized', error: 'invalid_token', error_description: description },
  })
}
