/** Whose guesses are counted together. */
import type { FastifyRequest } from 'fastify'

/**
 * Where a request comes from. Of what a proxy on this machine forwards, the last address is the one it has seen itself: what
 * stands before it anybody can have written.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const forwarded = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim()
  return forwarded && /^(127\.|::1$|::ffff:127\.)/.test(ip) ? forwarded : ip
}
