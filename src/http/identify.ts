/** Who is calling, by the token that was sent, and for whom (spec part 5). */
import type { FastifyRequest } from 'fastify'
import type { Scope } from '../access/levels.ts'
import { findToken } from '../access/tokens.ts'
import { findUser } from '../access/users.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { Failure, forbidden, notFound, unauthorized } from '../failure.ts'
import type { Parameters } from './parameters.ts'

export interface Caller {
  user: User | null
  /** What the token may be used for; empty for anybody. */
  scopes: Scope[]
  /** The administrator behind a sudo. */
  sudoer: User | null
}

const anybody: Caller = { user: null, scopes: [], sudoer: null }

/** Reads the credentials of a request. A wrong one is never taken for none. */
export async function identify(app: App, request: FastifyRequest): Promise<Caller> {
  const token = sentToken(request)
  const target = sentSudo(request)
  if (token === null) {
    if (target !== null) throw unauthorized()
    return anybody
  }
  const found = await findToken(app.db, token)
  if (!found) throw unauthorized()
  if (found.state !== 'valid') throw deadToken(found.state)
  refuseBlocked(found.user)
  if (target === null) return { user: found.user, scopes: found.scopes, sudoer: null }
  return { user: await sudo(app, found.user, found.scopes, target, request), scopes: ['api', 'read_user'], sudoer: found.user }
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

function sentSudo(request: FastifyRequest): string | null {
  const sent = (request.query as Parameters).sudo ?? request.headers.sudo
  return typeof sent === 'string' && sent !== '' ? sent : null
}

async function sudo(app: App, administrator: User, scopes: Scope[], target: string, request: FastifyRequest): Promise<User> {
  if (!administrator.admin) throw forbidden('Must be admin to use sudo')
  if (!scopes.includes('sudo')) throw insufficientScope('sudo')
  const user = await findUser(app.db, target)
  if (!user) throw notFound(`User with ID or username '${target}'`)
  refuseBlocked(user)
  request.log.info({ sudo: { by: administrator.username, as: user.username } }, 'sudo')
  return user
}

function refuseBlocked(user: User): void {
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
