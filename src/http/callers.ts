/** The key by which limits count requests: the user, or the network of callers who aren't signed in. */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../limits/network.ts'
import { userKey } from '../limits/streams.ts'
import { addressOf } from './address.ts'

export function callerKey(request: FastifyRequest, user: { id: number } | null): string {
  return user ? userKey(user) : `address:${networkOf(addressOf(request))}`
}
