/** A law for every reply in every test: its status is in the declaration of its endpoint, and so in the documentation. */
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../../src/http/declare/endpoint.ts'
import { statusesOf } from '../../../src/http/declare/statuses.ts'

const undeclared = new Set<string>()

/** Call it before the first request. `takeUndeclared` returns the violations. */
export function watchStatuses(server: FastifyInstance, endpoints: Endpoint[]): void {
  const known = declaredBy(endpoints)
  server.addHook('onResponse', (request, reply, done) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const { statusCode } = reply.raw
    const declared = known.get(`${method} ${request.served?.path}`)
    // With 499, the client has gone.
    if (declared && statusCode !== 499 && !declared.has(statusCode)) undeclared.add(`${method} ${request.served?.path} ${statusCode}`)
    done()
  })
}

/** Shared by all forges of a worker. */
const declarations = new WeakMap<Endpoint[], Map<string, Set<number>>>()

function declaredBy(endpoints: Endpoint[]): Map<string, Set<number>> {
  const before = declarations.get(endpoints)
  if (before) return before
  const known = new Map<string, Set<number>>()
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, endpoint.alias]) {
      if (path !== null) known.set(`${endpoint.method} ${endpoint.root}${path}`, statusesOf(endpoint))
    }
  }
  declarations.set(endpoints, known)
  return known
}

/** The violations since the last call. */
export function takeUndeclared(): string[] {
  const found = [...undeclared]
  undeclared.clear()
  return found
}
