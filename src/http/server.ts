/** The HTTP server without its routes: limits, parsers, headers, logging, errors. */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { App } from '../app.ts'
import { acceptBodies } from './body.ts'
import { answerError, answerErrors } from './errors.ts'
import { observeRequests } from './observe.ts'
import { parseQuery } from './parameters.ts'

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
    routerOptions: { maxParamLength: mostParameter_chars, querystringParser: parseQuery },
    frameworkErrors: answerError,
  })
  server.addHook('onRequest', async (_, reply) => {
    void reply.headers(safeHeaders)
  })
  observeRequests(server, app)
  answerErrors(server)
  await acceptBodies(server)
  return server
}
