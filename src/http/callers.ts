/** Whose requests are counted together: a user's, or those of one network nobody signed in from. */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../limits/network.ts'
import { userKey } from '../limits/streams.ts'
import { addressOf } from './address.ts'

export function callerKey(request: FastifyRequest, user: { id: number } | null): string {
  return user ? userKey(user) : `address:${networkOf(addressOf(request))}`
}
