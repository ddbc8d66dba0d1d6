/** Serves declared endpoints, always in this order: user, access, body, validation, handler, reply. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import type { Caller } from '../caller/authenticate.ts'
import { apiRoot, type Endpoint } from '../declare/endpoint.ts'
import type { Granted } from '../declare/rules.ts'
import { hasBody } from '../limits/slow-clients.ts'
import { countRequest } from '../limits/throttle.ts'
import { type AnswerCache, answerCache } from '../reply/answer-cache.ts'
import { admit } from './admit.ts'
import { answerer } from './answer.ts'
import { bytesType } from './body.ts'
import { type PathTable, pathTable } from './path-table.ts'
import { openWaits } from './waits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The requested endpoint; null if none is declared for the path and method. */
    served: Served | null
    /** The grants of the access rule; null if they depend on the body, which is not read yet. */
    granted: Granted | null
    caller: Caller | null
    /** The stamp of the database before anything was read for this request; null if the answer isn't cached. */
    stamp: number | null
  }
}

interface Served {
  endpoint: Endpoint
  /** The declared path or its alias. */
  path: string
  /** Names of the path parameters, in order. */
  names: string[]
}

type Answer = ReturnType<typeof answerer>

/** The endpoints of one path, by method, without HEAD. */
type ServedPath = Map<string, Served>

/** Fastify adds HEAD to the first route. */
const methods = ['GET', ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']]

/** Mounts every endpoint and its alias below its root; undeclared methods of their paths get 405. */
export function mount(server: FastifyInstance, app: App, endpoints: Endpoint[]): void {
  for (const name of ['served', 'granted', 'caller', 'stamp'] as const) server.decorateRequest(name, null)
  const answers = answerCache(app.db)
  const waits = openWaits(server, app)
  const made = new Map<Served, Answer>()
  /** Most endpoints of a process are never called. */
  const answerOf = (served: Served) => {
    const known = made.get(served)
    if (known) return known
    const answer = answerer(app, served.endpoint, answers, waits)
    made.set(served, answer)
    return answer
  }
  const paths = tableOf(endpoints)
  for (const route of routesFor(endpoints)) mountRoute(server, app, { ...route, paths, answers, answerOf })
}

/** Kept with the declarations: a process has one server, but tests have hundreds. */
const tables = new WeakMap<Endpoint[], PathTable<ServedPath>>()

function tableOf(endpoints: Endpoint[]): PathTable<ServedPath> {
  const known = tables.get(endpoints)
  if (known) return known
  const paths = pathTable<ServedPath>()
  for (const endpoint of endpoints) {
    for (const path of pathsOf(endpoint)) {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
      paths.entryOf(path, () => new Map(), endpoint.restOfPath).set(endpoint.method, { endpoint, path, names })
    }
  }
  tables.set(endpoints, paths)
  return paths
}

function pathsOf({ root, path, alias }: Endpoint): string[] {
  return [path, ...(alias === null ? [] : [alias])].map((one) => root + one)
}

interface Route {
  method: string | string[]
  url: string
  bodyLimit?: number
}

/**
 * Fastify has one route for all endpoints, and one for each endpoint outside of the API root or with a larger body limit. A route per
 * endpoint took 0.3 ms at start and 15 KB.
 */
function routesFor(endpoints: Endpoint[]): Route[] {
  const elsewhere = endpoints.filter(({ root }) => root !== apiRoot).flatMap(pathsOf)
  const larger = endpoints.flatMap((endpoint) => {
    const { method, maxBody_bytes } = endpoint
    return maxBody_bytes === null ? [] : pathsOf(endpoint).map((url) => ({ method, url, bodyLimit: maxBody_bytes }))
  })
  const rest = [`${apiRoot}/*`, ...new Set(elsewhere)].flatMap((url) => methods.map((method) => ({ method, url })))
  return [...rest, ...larger]
}

function mountRoute(
  server: FastifyInstance,
  app: App,
  {
    paths,
    answers,
    answerOf,
    ...route
  }: Route & {
    paths: PathTable<ServedPath>
    answers: AnswerCache
    answerOf: (served: Served) => Answer
  },
): void {
  server.route({
    ...route,
    async onRequest(request, reply) {
      const found = paths.find(request.url)
      if (found === null) return answerUnknown(app, request, reply)
      const served = found.entry.get(request.method === 'HEAD' ? 'GET' : request.method)
      if (!served) return refuseMethod(request, reply, found.entry)
      const { endpoint, names } = served
      request.served = served
      request.params = Object.fromEntries(names.map((name, index) => [name, found.values[index]]))
      // Bodies of bytes bypass all other parsers, whatever type the client names.
      if (endpoint.bytes && hasBody(request.raw)) request.raw.headers['content-type'] = bytesType
      if (endpoint.fromDatabase || endpoint.fromRepository) request.stamp = answers.stamp()
      await admit(app, endpoint, request, reply)
    },
    handler: (request, reply) => (request.served ? answerOf(request.served)(request, reply) : undefined),
    errorHandler(error: FastifyError | Failure, request, reply) {
      const status = error instanceof Failure ? request.served?.endpoint.statuses[error.code] : undefined
      if (status !== undefined) void reply.code(status)
      server.errorHandler(error, request, reply)
    },
  })
}

/** Answers paths without a route; such requests are counted as anonymous for any caller. */
async function answerUnknown(app: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await countRequest(app, request, null, 'api')
  return reply.code(404).send({ error: '404 Not Found' })
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, served: ServedPath): FastifyReply {
  const allow = ['OPTIONS', ...(served.has('GET') ? ['HEAD'] : []), ...served.keys()].join(', ')
  void reply.header('allow', allow)
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw new Failure('method_not_allowed', '405 Method Not Allowed')
}
