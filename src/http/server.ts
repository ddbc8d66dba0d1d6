/** The HTTP server without its routes: limits, parsers, headers, logging, errors. */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { acceptBodies } from './body.ts'
import { answerError, answerErrors } from './errors.ts'
import { observeRequests } from './observe.ts'
import { type Parameters, parseQuery } from './parameters.ts'

const mostParameter_chars = 8_192
const mostBody_bytes = 1024 * 1024

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
    bodyLimit: mostBody_bytes,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: mostParameter_chars, querystringParser: tryQuery },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(safeHeaders)),
  })
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(safeHeaders)
    done(request.query instanceof Failure ? request.query : undefined)
  })
  observeRequests(server, app)
  answerErrors(server)
  await acceptBodies(server)
  return server
}

/** The router reads the query before anybody could catch what it throws: the first hook does so for it. */
function tryQuery(text: string): Parameters {
  try {
    return parseQuery(text)
  } catch (error) {
    return error as Failure & Parameters
  }
}
