/** The limit of the API: Fastify and nothing else, giving ready-made objects through the same schemas as the real answers. */
import fastify from 'fastify'
import type { TSchema } from 'typebox'
import { readInput } from './processes.ts'

export interface BareRoute {
  path: string
  schema: TSchema
  value: unknown
}

const server = fastify()
for (const { path, schema, value } of await readInput<BareRoute[]>()) {
  server.get(path, { schema: { response: { 200: schema } } }, async () => value)
}
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
