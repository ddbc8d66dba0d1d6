/** The key by which limits count requests: the user, or the network of callers who aren't signed in. */
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../limits/callers.ts'
import { addressOf } from './address.ts'

export { callerOf }

export function callerKey(request: FastifyRequest, user: { id: number } | null): string {
  return callerOf(user, addressOf(request))
}
