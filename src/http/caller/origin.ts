/** Attributes changes to the caller of the request: whoever records a change looks up this origin. */
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principals.ts'
import { originOf, withOrigin } from '../../domain-events/origin.ts'
import { addressOf } from './address.ts'

/** Runs `work` with the caller and the address of the request as its origin. */
export function asCaller<T>(request: FastifyRequest, principal: Principal, work: () => T): T {
  return withOrigin(originOf(principal, addressOf(request), request.headers['user-agent']), work)
}
