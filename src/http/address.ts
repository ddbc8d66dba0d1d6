/** Where a request comes from: for the log, and for whose guesses are counted together. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of the client. Of what a trusted proxy forwards (`GITSTEAD_TRUSTED_PROXIES`), the last address that is no
 * trusted proxy's: what stands before it anybody can have written. What others forward is ignored.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // A proxy may forward a word in the place of an address.
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip
}
