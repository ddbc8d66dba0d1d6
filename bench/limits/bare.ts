/** The limit of the API: Fastify and nothing else, giving ready-made objects through the same schemas as the real answers. */
import fastify from 'fastify'
import type { TSchema } from 'typebox'
import { readInput } from '../processes.ts'

export interface BareRoute {
  path: string
  schema: TSchema
  value: unknown
  /** Sent with the answer, besides those that Fastify and node write. */
  headers: Record<string, string>
}

export interface BareInput {
  routes: BareRoute[]
  /** Whether Fastify logs requests as it does by itself, at `info`. */
  isLogging: boolean
}

const { routes, isLogging } = await readInput<BareInput>()
const server = fastify({ logger: isLogging && { level: 'info', file: '/dev/null' } })
for (const { path, schema, value, headers } of routes) {
  server.get(path, { schema: { response: { 200: schema } } }, async (_, reply) => {
    void reply.headers(headers)
    return value
  })
}
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
