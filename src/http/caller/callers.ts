/** The user of a request, and the key by which limits count it: that of the user, or of the network where nobody signed in. */
import type { FastifyRequest } from 'fastify'
import { userOf } from '../../access/principals.ts'
import type { User } from '../../db/tables.ts'
import { callerOf } from '../../limits/callers.ts'
import { addressOf } from './address.ts'

export { callerOf }

export function callerKey(request: FastifyRequest, user: { id: number } | null): string {
  return callerOf(user, addressOf(request))
}

/** Null before it was authenticated, too. */
export function callingUser({ caller }: FastifyRequest): User | null {
  return caller && userOf(caller.principal)
}
