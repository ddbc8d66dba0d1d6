/** What a request changes is known to come from its caller: whoever records changes asks for the origin. */
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principals.ts'
import { originOf, withOrigin } from '../../domain-events/origin.ts'
import { addressOf } from './address.ts'

/** Runs `work` in the name of the caller, from the address of the request. */
export function asCaller<T>(request: FastifyRequest, principal: Principal, work: () => T): T {
  return withOrigin(originOf(principal, addressOf(request)), work)
}
