/** Serves declared endpoints: user, access, body, validation, handler, reply; always in this order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'
import { badParameter, Failure, unauthorized } from '../failure.ts'
import { onBehalfOf } from '../git/repository/repository.ts'
import { abortSignalOf } from './abort-signal.ts'
import { authenticate, type Caller, requireScope, requireTerms } from './authenticate.ts'
import { largeFieldsOf, withBody } from './body.ts'
import { nothing, sendBytes } from './bytes.ts'
import { callerKey } from './callers.ts'
import type { Endpoint, RawReply } from './endpoint.ts'
import { type Page, pageFrom, pageHeaders, pageParameters, type Rows } from './page.ts'
import type { Parameters } from './parameters.ts'
import { parseSince, requireUnmodified } from './preconditions.ts'
import { assertMeetsOne, type Granted } from './rules.ts'
import { enterStream } from './streams.ts'
import { targetOf } from './target.ts'
import { type Validate, validator } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access rule of the endpoint grants. */
    granted: Granted | null
    caller: Caller | null
  }
}

/** Mounts every endpoint and its alias below its root, and on their paths 405 for undeclared methods. */
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
    schema: { response: replySchema(endpoint) },
    onRequest: (request, reply) => admit(app, endpoint, request, reply),
    handler: answerer(app, endpoint),
    errorHandler(error, request, reply) {
      const status = error instanceof Failure ? endpoint.statuses[error.code] : undefined
      if (status !== undefined) void reply.code(status)
      server.errorHandler(error, request, reply)
    },
  })
}

/** Before the body is read: without access, nothing is parsed. */
async function admit(app: App, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const caller = await authenticate(app, request)
  request.caller = caller
  const reading = endpoint.method === 'GET'
  requireScope(caller, reading ? endpoint.scopes : [])
  if (!endpoint.beforeTerms) requireTerms(app, caller)
  if (!caller.user && !(endpoint.access.anonymous && reading)) throw unauthorized()
  request.granted = await endpoint.access.grant({
    app,
    caller,
    params: request.params as Record<string, string>,
    openRepo: (id) => onBehalfOf(app.git.open(id), callerKey(request, caller.user), () => abortSignalOf(reply)),
  })
}

function answerer(app: App, endpoint: Endpoint): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const large = largeFieldsOf(endpoint.body, app.config.home)
  const answer = answerTo(app, endpoint)
  return async (request, reply) => {
    const max_bytes = (await endpoint.maxFile_bytes?.(app)) ?? (request.routeOptions.bodyLimit as number)
    return withBody(request, { ...large, max_bytes }, (sent) => answer(request, reply, sent))
  }
}

function answerTo(app: App, endpoint: Endpoint) {
  const read = inputReader(endpoint)
  const handle = endpoint.handle as (context: unknown) => unknown
  const hasReserved = Object.keys(endpoint.reserved).length > 0
  return async (request: FastifyRequest, reply: FastifyReply, sent: Parameters): Promise<unknown> => {
    const { page, ...input } = read(request, sent)
    const head = request.method === 'HEAD'
    const context = { app, ip: request.ip, head, ...request.granted, ...input, page }
    if (hasReserved) await assertReserved(endpoint, request.granted as Granted, { app, ...input })
    const since = endpoint.lastChanged && parseSince(request.headers['if-unmodified-since'])
    if (since) requireUnmodified(since, await endpoint.lastChanged?.(context as never))
    switch (endpoint.kind) {
      case 'list': {
        const { rows, total, headers } = (await handle(context)) as Rows<unknown>
        return reply.headers({ ...listHeaders(app, request, page as Page, total), ...headers }).send(rows)
      }
      case 'stream':
        return sendBytes(request, reply, (await handle(context)) as RawReply, () =>
          enterStream(app, request, reply, { user: request.caller?.user ?? null }),
        )
      default: {
        const value = await handle(context)
        if (endpoint.headers) void reply.headers(endpoint.headers(value))
        if (head && endpoint.headStatus !== null) return reply.code(endpoint.headStatus).send()
        if (head) return reply.type('application/json').send(nothing())
        return reply.code(endpoint.status).send(endpoint.status === 204 ? undefined : value)
      }
    }
  }
}

interface Input {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
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

/** Throws 403 for a parameter that isn't for this caller to send. */
async function assertReserved({ reserved }: Endpoint, granted: Granted, { app, params, query, body }: Omit<Input, 'page'> & { app: App }) {
  for (const [name, conditions] of Object.entries(reserved)) {
    const value = { ...query, ...body }[name]
    if (value !== undefined && value !== false) await assertMeetsOne(conditions, granted, { app, params, value })
  }
}

function listHeaders(app: App, request: FastifyRequest, page: Page, total: number): Record<string, string> {
  const { path, query } = targetOf(request)
  return pageHeaders(page, total, app.config.url + path, query)
}

function replySchema({ kind, reply, status }: Endpoint): Record<number, TSchema> {
  if (!reply || status === 204) return {}
  return { [status]: kind === 'list' ? Type.Array(reply) : reply }
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
