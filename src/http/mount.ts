/** Serves declared endpoints: user, access, body, validation, handler, reply; always in this order. */
import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { admit } from './admit.ts'
import { answerer } from './answer.ts'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import type { Caller } from './authenticate.ts'
import type { Endpoint } from './endpoint.ts'
import type { Granted } from './rules.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access rule of the endpoint grants; null until the body was read where that decides. */
    granted: Granted | null
    caller: Caller | null
    /** Of the database, before anything was read for this request; null where the answer isn't kept. */
    stamp: number | null
  }
}

/** Mounts every endpoint and its alias below its root, and on their paths 405 for undeclared methods. */
export function mount(server: FastifyInstance, app: App, endpoints: Endpoint[]): void {
  server.decorateRequest('granted', null)
  server.decorateRequest('caller', null)
  server.decorateRequest('stamp', null)
  const answers = answerCache(app.db)
  const methods = new Map<string, Set<string>>()
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, endpoint.alias]) {
      if (path === null) continue
      const url = endpoint.root + path
      mountAt(server, app, { endpoint, url, answers })
      methods.set(url, (methods.get(url) ?? new Set()).add(endpoint.method))
    }
  }
  for (const [url, declared] of methods) refuseOtherMethods(server, url, declared)
}

interface Mounted {
  endpoint: Endpoint
  url: string
  answers: AnswerCache
}

function mountAt(server: FastifyInstance, app: App, { endpoint, url, answers }: Mounted): void {
  server.route({
    method: endpoint.method,
    url,
    ...(endpoint.maxBody_bytes !== null && { bodyLimit: endpoint.maxBody_bytes }),
    onRequest(request, reply) {
      if (endpoint.fromDatabase) request.stamp = answers.stamp()
      return admit(app, endpoint, request, reply)
    },
    handler: answerer(app, endpoint, answers),
    errorHandler(error, request, reply) {
      const status = error instanceof Failure ? endpoint.statuses[error.code] : undefined
      if (status !== undefined) void reply.code(status)
      server.errorHandler(error, request, reply)
    },
  })
}

function refuseOtherMethods(server: FastifyInstance, url: string, declared: Set<string>): void {
  const known = [...(declared.has('GET') ? ['HEAD'] : []), ...declared]
  const allow = ['OPTIONS', ...known].join(', ')
  server.route({ method: 'OPTIONS', url, handler: (_, reply) => reply.code(204).header('allow', allow).send() })
  server.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !known.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest(_, reply) {
      void reply.header('allow', allow)
      throw new Failure('method_not_allowed', '405 Method Not Allowed')
    },
    handler: () => {},
  })
}
