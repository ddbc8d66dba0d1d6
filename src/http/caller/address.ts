/** The address a request comes from, for the log and for limits. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of the client. From what a trusted proxy forwards (`GITSTEAD_TRUSTED_PROXIES`), the last address that isn't a trusted
 * proxy's: clients can forge those before it. Headers of other senders are ignored.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // A proxy may forward a name in place of an address.
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip
}
