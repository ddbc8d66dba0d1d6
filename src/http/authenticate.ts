/** Who is calling, by the token or the session that was sent, and for whom (spec part 5). */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Scope } from '../access/levels.ts'
import { findSession, formTokenOf } from '../access/sessions.ts'
import { findToken } from '../access/tokens.ts'
import { findUser, passwordHasExpired } from '../access/users.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { Failure, forbidden, notFound, unauthorized } from '../failure.ts'
import { cookieOf, sessionCookie } from './cookies.ts'
import type { Parameters } from './parameters.ts'

export interface Caller {
  user: User | null
  /** What the token may be used for; empty for anybody. */
  scopes: Scope[]
  /** The token that was sent; null for anybody, and for whom a sudo names: it isn't his. */
  token_id: number | null
  /** The administrator behind a sudo. */
  sudoer: User | null
  /** Whether he who calls has still to accept the terms. */
  awaits_terms: boolean
}

const anybody: Caller = { user: null, scopes: [], token_id: null, sudoer: null, awaits_terms: false }

/** Reads the credentials of a request. A wrong one is never taken for none. */
export async function authenticate(app: App, request: FastifyRequest): Promise<Caller> {
  const token = sentToken(request)
  const target = sentSudo(request)
  if (token === null) {
    if (target !== null) throw unauthorized()
    return authenticateBySession(app, request)
  }
  const found = await findToken(app.db, token)
  if (!found) throw unauthorized()
  if (found.state !== 'valid') throw deadToken(found.state)
  assertNotBlocked(found.user)
  const { scopes, token_id, awaits_terms } = found
  if (target === null) return { user: found.user, scopes, token_id, sudoer: null, awaits_terms }
  const user = await sudo(app, found.user, scopes, target, request)
  // Acting as somebody else, a token reaches no further than it does for its own user; nor does it sudo from there.
  return { user, scopes: scopes.filter((scope) => scope !== 'sudo'), token_id: null, sudoer: found.user, awaits_terms }
}

/**
 * A session that is there no more is as none. It is sent by whatever page leads a browser here, so it suffices to read; to
 * change something it takes a header that only our own pages can send.
 */
async function authenticateBySession(app: App, request: FastifyRequest): Promise<Caller> {
  const secret = cookieOf(request, sessionCookie)
  if (secret === null || !(isRead(request) || isRight(request.headers['x-csrf-token'], secret))) return anybody
  const session = await findSession(app.db, secret)
  if (!session) return anybody
  assertNotBlocked(session.user)
  if (passwordHasExpired(session.user)) throw forbidden(`Your password has expired. Choose another at ${app.config.url}/users/password`)
  return { ...anybody, user: session.user, scopes: ['api', 'read_user'], awaits_terms: session.awaits_terms }
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether a form or a script has sent what belongs to this cookie. */
export function isRight(sent: unknown, secret: string): boolean {
  const [one, other] = [Buffer.from(String(sent)), Buffer.from(formTokenOf(secret))]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Refuses who has still to accept the terms, and says where he does. */
export function requireTerms(app: App, { awaits_terms }: Caller): void {
  if (awaits_terms) throw forbidden(`You must accept the terms of service first, at ${app.config.url}/-/terms`)
}

/** Refuses a token that wasn't made for this: closed by default, and `api` opens everything but sudo. */
export function requireScope(caller: Caller, accepted: readonly Scope[]): void {
  if (caller.user && !caller.scopes.includes('api') && !caller.scopes.some((scope) => accepted.includes(scope))) {
    throw insufficientScope(['api', ...accepted].join(' '))
  }
}

function sentToken(request: FastifyRequest): string | null {
  const query = request.query as Parameters
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const sent = request.headers['private-token'] ?? query.private_token ?? bearer ?? query.access_token
  if (sent === undefined || sent === '') return null
  if (typeof sent !== 'string') throw unauthorized()
  return sent
}

/** Who sends it without a name is not taken at his own: a script that has lost the name would act as the administrator. */
function sentSudo(request: FastifyRequest): string | null {
  const sent = (request.query as Parameters).sudo ?? request.headers.sudo
  if (sent === undefined) return null
  return typeof sent === 'string' ? sent : ''
}

async function sudo(app: App, administrator: User, scopes: Scope[], target: string, request: FastifyRequest): Promise<User> {
  if (!administrator.admin) throw forbidden('Must be admin to use sudo')
  if (!scopes.includes('sudo')) throw insufficientScope('sudo')
  const user = await findUser(app.db, target)
  if (!user) throw notFound(`User with ID or username '${target}'`)
  assertNotBlocked(user)
  request.log.info({ sudo: { by: administrator.username, as: user.username } }, 'sudo')
  return user
}

function assertNotBlocked(user: User): void {
  if (user.state !== 'active') throw forbidden('Your account has been blocked.')
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
