/** The user of a request, and the key under which limits count it: the user, or the network of an anonymous client. */
import type { FastifyRequest } from 'fastify'
import { userOf } from '../../access/principals.ts'
import type { User } from '../../db/tables.ts'
import { callerOf } from '../../limits/callers.ts'
import { addressOf } from './address.ts'

export { callerOf }

export function callerKey(request: FastifyRequest, user: { id: number } | null): string {
  return callerOf(user, addressOf(request))
}

/** Also null before the request was authenticated. */
export function callingUser({ caller }: FastifyRequest): User | null {
  return caller && userOf(caller.principal)
}
