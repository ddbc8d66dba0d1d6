/** The IP address of the client, for the log and for limits. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of the client. Among the addresses forwarded by a trusted proxy (`GITSTEAD_TRUSTED_PROXIES`), the last one that isn't a
 * trusted proxy: clients can forge those before it. Forwarding headers from others are ignored.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // A proxy may forward a name instead of an address.
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip
}
