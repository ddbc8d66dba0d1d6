/** The HTTP server without its routes: limits, parsers, headers, logging, errors. */
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { limitConnections } from '../limits/connection-limits.ts'
import { endSlowClients } from '../limits/slow-clients.ts'
import { type Parameters, parseQuery } from '../parameters/parameters.ts'
import { withoutExtraSlashes } from '../parameters/target.ts'
import { answerError, answerErrors } from '../reply/errors.ts'
import { jsonType, safeHeaders } from '../reply/headers.ts'
import { queueRequests } from './admission.ts'
import { acceptBodies } from './body.ts'
import { allowOrigins, setCorsHeaders } from './cors.ts'
import { endConnections } from './end-connections.ts'
import { isProbe } from './health.ts'
import { maxParameter_chars } from './path-table.ts'
import { lazyLogger, logAbandoned, logRequests } from './request-log.ts'

const maxBody_bytes = 1024 * 1024

const namesOfSafeHeaders = Object.keys(safeHeaders) as Array<keyof typeof safeHeaders>

export async function openServer(app: App): Promise<FastifyInstance> {
  const server = fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger, bindings) => lazyLogger(logger, bindings),
    bodyLimit: maxBody_bytes,
    trustProxy: app.config.trusted_proxies,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxParameter_chars, querystringParser: tryQuery },
    // A name that is missing at the end of the path, or dots there, must not make DELETE remove the parent instead.
    rewriteUrl: ({ method, url = '' }) => (method === 'DELETE' ? url : withoutExtraSlashes(url, method)),
    frameworkErrors: (error, request, reply) => answerError(error, request, asHooksWould(request, reply)),
  })
  allowOrigins(server)
  server.addHook('onRequest', (request, _, done) => {
    done(request.query instanceof Failure ? request.query : undefined)
  })
  // A proxy may have checked one of several such headers, and this server would use another.
  server.addHook('onRequest', ({ raw: { rawHeaders } }, _, done) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    done(hosts.length > 1 ? new Failure('invalid', 'The request has more than one Host header') : undefined)
  })
  // JSON of endpoints doesn't pass this hook: `mount.ts` writes it, with the same headers.
  server.addHook('onSend', (_, reply, payload, done) => {
    for (const name of namesOfSafeHeaders) if (!reply.hasHeader(name)) void reply.header(name, safeHeaders[name])
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') void reply.header('content-type', jsonType)
    done(null, payload)
  })
  queueRequests(server.server, {
    isUrgent: isProbe,
    onWaited: (ms) => app.metrics.requestsWaited.observe(ms / 1000),
    onRefused: () => app.metrics.requestsRefused.inc(),
    onAbandoned: (request, ms) => logAbandoned(app, request, ms),
  })
  endConnections(server)
  limitConnections(server.server, {
    limits: app.config.limits.connections,
    trusted_proxies: app.config.trusted_proxies,
    onRefused: () => app.metrics.connectionsRefused.inc(),
  })
  endSlowClients(server.server, app.limits)
  dropUnreadBodies(server)
  logRequests(server, app)
  answerErrors(server)
  await acceptBodies(server)
  return server
}

/**
 * If a request is answered before its body is completely read, the rest is read and dropped: many clients read no reply before they have
 * sent everything.
 */
function dropUnreadBodies(server: FastifyInstance): void {
  server.addHook('onResponse', ({ raw }, _, done) => {
    if (!raw.complete) raw.unpipe().resume()
    done()
  })
}

/** Errors of the router bypass the hooks, so this sets what the hooks would set. */
function asHooksWould(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setCorsHeaders(request.raw, reply.raw)
  return reply.headers({ ...safeHeaders, 'content-type': jsonType }).serializer(JSON.stringify)
}

/** The router parses the query where nothing catches exceptions: the error is returned, and thrown by the first hook. */
function tryQuery(text: string): Parameters {
  try {
    return parseQuery(text)
  } catch (error) {
    return error as Failure & Parameters
  }
}
