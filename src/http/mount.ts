/** Puts declared endpoints on the wire: user, access, body, validation, handler, reply; always in this order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'
import { badParameter, defaultStatus, Failure, type FailureCode, unauthorized } from '../failure.ts'
import { onBehalfOf, type Repo } from '../git/repository/repository.ts'
import { abortSignalOf } from './abort-signal.ts'
import { type Caller, identify, requireScope, requireTerms } from './authenticate.ts'
import { largeFieldsOf, withBody } from './body.ts'
import { nothing, sendBytes } from './bytes.ts'
import { callerKey } from './callers.ts'
import type { Endpoint, RawReply } from './endpoint.ts'
import { jsonType, safeHeaders } from './headers.ts'
import { type Page, pageFrom, pageHeaders, pageParameters, type Rows } from './page.ts'
import type { Parameters } from './parameters.ts'
import { parseSince } from './preconditions.ts'
import type { Granted } from './rules.ts'
import { type Text, textWriter } from './serialize.ts'
import { enterStream } from './streams.ts'
import { targetOf } from './target.ts'
import { type Validate, validator } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access rule of the endpoint granted. */
    granted: Granted | null
    caller: Caller | null
  }
}

/** Mounts every endpoint and its alias below its root, and on their paths 405 for the methods nobody declared. */
export function mount(server: FastifyInstance, app: App, endpoints: Endpoint[]): void {
  server.decorateRequest('granted', null)
  server.decorateRequest('caller', null)
  const methods = new Map<string, Set<string>>()
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, endpoint.alias]) {
      if (path === null) continue
      const url = endpoint.root + path
      mountAt(server, app, endpoint, url)
      methods.set(url, (methods.get(url) ?? new Set()).add(endpoint.method))
    }
  }
  for (const [url, declared] of methods) refuseOtherMethods(server, url, declared)
}

function mountAt(server: FastifyInstance, app: App, endpoint: Endpoint, url: string): void {
  server.route({
    method: endpoint.method,
    url,
    ...(endpoint.maxBody_bytes !== null && { bodyLimit: endpoint.maxBody_bytes }),
    onRequest: (request, reply) => admit(app, endpoint, request, reply),
    handler: answerer(app, endpoint),
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

function answerer(app: App, endpoint: Endpoint): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const answer = answerTo(app, endpoint)
  // What comes with it as a body is never read.
  if (endpoint.method === 'GET') return (request, reply) => answer(request, reply, request.query as Parameters)
  const large = largeFieldsOf(endpoint.body, app.config.home)
  return async (request, reply) => {
    const max_bytes = (await endpoint.maxFile_bytes?.(app)) ?? (request.routeOptions.bodyLimit as number)
    return withBody(request, { ...large, max_bytes }, (sent) => answer(request, reply, sent))
  }
}

function answerTo(app: App, endpoint: Endpoint) {
  const read = inputReader(endpoint)
  const write = textWriter(replySchema(endpoint))
  const handle = endpoint.handle as (context: unknown) => unknown
  return async (request: FastifyRequest, reply: FastifyReply, sent: Parameters): Promise<unknown> => {
    const { page, ...input } = read(request, sent)
    const head = request.method === 'HEAD'
    const unmodifiedSince = parseSince(request.headers['if-unmodified-since'])
    const context = { app, ip: request.ip, head, unmodifiedSince, ...request.granted, ...input, page }
    switch (endpoint.kind) {
      case 'list': {
        const { rows, total, headers } = (await handle(context)) as Rows<unknown>
        return sendText(reply, endpoint.status, { ...listHeaders(app, request, page as Page, total), ...headers }, write(rows))
      }
      case 'stream':
        return sendBytes(request, reply, (await handle(context)) as RawReply, () =>
          enterStream(app, request, reply, { user: request.caller?.user ?? null }),
        )
      default: {
        const value = await handle(context)
        const headers = endpoint.headers?.(value)
        const status = head ? endpoint.headStatus : endpoint.status
        if (headers && (head || status === 204)) void reply.headers(headers)
        if (status === null) return reply.type(jsonType).send(nothing())
        if (head || status === 204) return reply.code(status).send()
        return sendText(reply, status, headers, write(value))
      }
    }
  }
}

/** Writes head and body at once, past what would look at them on the way: the serializer has made the text by the schema. */
function sendText({ raw }: FastifyReply, status: number, headers: Record<string, string> | undefined, { text, bytes }: Text): void {
  raw.writeHead(status, { 'content-type': jsonType, ...safeHeaders, ...headers, 'content-length': bytes })
  raw.end(text)
}

interface Input {
  params: unknown
  query: unknown
  body: unknown
  page: Page | undefined
}

/** The validation of one endpoint. */
function inputReader(endpoint: Endpoint): (request: FastifyRequest, sent: Parameters) => Input {
  const names = Object.keys(endpoint.params)
  const params = names.length > 0 ? validator(endpoint.params) : null
  const query = validator(endpoint.query)
  const body = Object.keys(endpoint.body).length > 0 ? validator(endpoint.body) : null
  const page = endpoint.kind === 'list' ? (validator(pageParameters) as Validate<typeof pageParameters>) : null
  return (request, sent) => {
    const path = request.params as Record<string, string>
    requireOne(endpoint, sent)
    return {
      params: params ? { ...path, ...params(path) } : path,
      query: query(sent),
      body: body?.(sent),
      page: page ? pageFrom(page(sent)) : undefined,
    }
  }
}

function requireOne({ atLeastOne }: Endpoint, sent: Parameters): void {
  if (atLeastOne.length > 0 && !atLeastOne.some((name) => sent[name] !== undefined)) {
    throw badParameter(`${atLeastOne.join(', ')} are missing, at least one parameter must be provided`)
  }
}

function listHeaders(app: App, request: FastifyRequest, page: Page, total: number): Record<string, string> {
  const { path, query } = targetOf(request)
  return pageHeaders(page, total, app.config.url + path, query)
}

function replySchema({ kind, reply }: Endpoint): TSchema {
  const schema = reply ?? Type.Null()
  return kind === 'list' ? Type.Array(schema) : schema
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
