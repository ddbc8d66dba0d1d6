/** Version 3 of the API, which old clients may still call: only `GET /api/v3/user` is left, for sign-in by OAuth clients of that time. */
import type { FastifyInstance } from 'fastify'

const removed = { error: 'API V3 is no longer supported. Use API V4 instead.' }

export function refuseVersion3(server: FastifyInstance): void {
  server.all('/api/v3/*', (_, reply) => reply.code(410).send(removed))
}
