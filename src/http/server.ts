/** The HTTP server without its routes: limits, parsers, headers, logging, errors. */
import { Socket } from 'node:net'
import { build as fastJson, type Schema } from 'fast-json-stringify'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { queueRequests } from './admission.ts'
import { acceptBodies } from './body.ts'
import { limitConnections } from './connection-limits.ts'
import { answerError, answerErrors } from './errors.ts'
import { isProbe } from './health.ts'
import { type Parameters, parseQuery } from './parameters.ts'
import { logRequests } from './request-log.ts'
import { endSlowClients } from './slow-clients.ts'

const maxParameter_chars = 8_192
const maxBody_bytes = 1024 * 1024

/** Without a charset: JSON is UTF-8 anyway, and some clients compare this header exactly. */
const jsonType = 'application/json'

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export async function openServer(app: App): Promise<FastifyInstance> {
  const server = fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBody_bytes,
    trustProxy: app.config.trusted_proxies,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxParameter_chars, querystringParser: tryQuery },
    frameworkErrors: (error, request, reply) => answerError(error, request, asHooksWould(reply)),
  })
  server.setSerializerCompiler(({ schema }) => serializer(schema as Schema))
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(safeHeaders)
    done(request.query instanceof Failure ? request.query : undefined)
  })
  server.addHook('onSend', (_, reply, payload, done) => {
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') void reply.header('content-type', jsonType)
    done(null, payload)
  })
  queueRequests(server.server, {
    isUrgent: isProbe,
    onWaited: (ms) => app.metrics.requestsWaited.observe(ms / 1000),
    onRefused: () => app.metrics.requestsRefused.inc(),
  })
  limitConnections(server.server, {
    limits: app.config.limits.connections,
    trusted_proxies: app.config.trusted_proxies,
    onRefused: () => app.metrics.connectionsRefused.inc(),
  })
  endSlowClients(server.server, app.limits)
  endConnections(server)
  logRequests(server, app)
  answerErrors(server)
  await acceptBodies(server)
  return server
}

/** Compiled at first use, as validation is: saves 0.1 s at start, and memory for endpoints that are never called. */
function serializer(schema: Schema): (reply: unknown) => string {
  let write: ((reply: unknown) => string) | null = null
  return (reply) => {
    write ??= fastJson(schema)
    return write(reply)
  }
}

/** Once the server stops, close each connection after its request: kept alive, it would delay the stop for a minute. */
function endConnections(server: FastifyInstance): void {
  let stopping = false
  server.addHook('preClose', (done) => {
    stopping = true
    done()
  })
  server.addHook('onResponse', ({ raw: { socket } }, _, done) => {
    if (stopping && socket instanceof Socket) socket.destroySoon()
    done()
  })
}

/** Errors of the router pass no hook: set what the hooks would. */
function asHooksWould(reply: FastifyReply): FastifyReply {
  return reply.headers({ ...safeHeaders, 'content-type': jsonType }).serializer(JSON.stringify)
}

/** The router parses the query where nothing catches: the error is returned, and thrown by the first hook. */
function tryQuery(text: string): Parameters {
  try {
    return parseQuery(text)
  } catch (error) {
    return error as Failure & Parameters
  }
}
