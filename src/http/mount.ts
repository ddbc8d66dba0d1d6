/** Puts declared endpoints on the wire: user, access, body, validation, handler, reply; always in this order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { defaultStatus, Failure, type FailureCode, unauthorized } from '../failure.ts'
import { onBehalfOf, type Repo } from '../git/repository/repository.ts'
import { abortSignalOf } from './abort-signal.ts'
import { answerer } from './answer.ts'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import { type Caller, identify, requireScope, requireTerms } from './authenticate.ts'
import { callerKey } from './callers.ts'
import type { Endpoint } from './endpoint.ts'
import type { Granted } from './rules.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access rule of the endpoint granted. */
    granted: Granted | null
    caller: Caller | null
    /** Of the database, before anything was read for this request; null where the answer isn't kept. */
    stamp: number | null
  }
}

/** Mounts every endpoint and its alias below its root, and on their paths 405 for the methods nobody declared. */
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
      if (error instanceof Failure && error.code in endpoint.fails) void reply.code(endpoint.fails[error.code] as number)
      server.errorHandler(error, request, reply)
    },
  })
}

/** Before the body is read: nobody without access makes us parse anything. */
async function admit(app: App, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const caller = await identify(app, request)
  request.caller = caller
  const reading = endpoint.method === 'GET'
  requireScope(caller, reading ? endpoint.scopes : [])
  if (!endpoint.beforeTerms) requireTerms(app, caller)
  if (!caller.user && !(endpoint.access.anonymous && reading)) throw unauthorized()
  const granted = await endpoint.access.grant(app, caller, request.params as Record<string, string>)
  request.granted = forRequest(granted, callerKey(request, caller.user), reply)
}

/** Git commands that are started by what was granted end when the client leaves, and count as this caller's. */
function forRequest(granted: Granted & { repo?: Repo }, caller: string, reply: FastifyReply): Granted {
  return granted.repo ? ({ ...granted, repo: onBehalfOf(granted.repo, caller, () => abortSignalOf(reply)) } as Granted) : granted
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

/** The statuses an endpoint can answer with besides success, and why: for its documentation. */
export function refusalsOf(endpoint: Endpoint): Map<number, string[]> {
  const refusals = new Map<number, string[]>()
  const add = (status: number, reason: string) => refusals.set(status, [...(refusals.get(status) ?? []), reason])
  if (Object.keys({ ...endpoint.params, ...endpoint.query, ...endpoint.body }).length > 0 || endpoint.kind === 'list')
    add(400, 'A parameter is missing or malformed.')
  add(401, endpoint.access.anonymous && endpoint.method === 'GET' ? 'The credentials are wrong.' : 'The credentials are missing or wrong.')
  add(403, 'The caller may not do this, or the scope of the token does not reach.')
  if (/:/.test(endpoint.path)) add(404, 'There is no such thing, or the caller cannot see it.')
  for (const [code, status] of Object.entries(endpoint.fails)) add(status ?? defaultStatus(code as FailureCode), code.replaceAll('_', ' '))
  return refusals
}
