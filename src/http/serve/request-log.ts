/** The request log and request metrics, without secrets. */
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { addressOf } from '../caller/address.ts'
import { callingUser } from '../caller/callers.ts'
import { redactUrl } from '../reply/redact.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that git authenticated: the name of a user or of a deploy token. */
    actor: string | null
    isLogged: boolean
  }
}

/** The status of a request whose client left before it got one, as other servers log it. */
const clientLeft = 499
const maxListeners = 30

export function logRequests(server: FastifyInstance, app: App): void {
  const timed = labelled(app)
  server.decorateRequest('actor', null)
  server.decorateRequest('isLogged', false)
  const record = (request: FastifyRequest, reply: FastifyReply, status: number, aborted?: boolean) => {
    request.isLogged = true
    timed(request.method, request.served?.path ?? request.routeOptions.url ?? 'none', status).observe(reply.elapsedTime / 1000)
    if (app.log.isLevelEnabled('info')) app.log.info({ ...describe(request, reply), status, aborted }, 'request')
  }
  // Fastify only has a hook for answers that were completely written to the socket.
  server.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    // Fastify, the log, the limits and git each listen for its end: more than the ten listeners at which Node.js warns.
    raw.setMaxListeners(maxListeners)
    raw.once('close', () => {
      if (!raw.writableFinished && !request.isLogged) record(request, reply, raw.headersSent ? reply.statusCode : clientLeft, true)
    })
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    // A destroyed socket discards its buffer, so the client never got those bytes.
    record(request, reply, reply.statusCode, request.raw.socket.destroyed || undefined)
    done()
  })
}

/** Logs a request whose client left while it waited in the queue, where no other code sees it. */
export function logAbandoned(app: App, { method = '', url = '' }: IncomingMessage, waited_ms: number): void {
  app.metrics.requests.labels({ method, route: 'none', status: String(clientLeft) }).observe(waited_ms / 1000)
  app.log.info({ method, url: redactUrl(url), status: clientLeft, ms: Math.round(waited_ms), aborted: true }, 'request')
}

/** The logger of one request, created when it first logs something: most requests only have the line above. */
export function lazyLogger(logger: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  return new LazyLogger(logger, bindings) as unknown as FastifyBaseLogger
}

/** A class, so that the methods are shared by the instances of all requests. */
class LazyLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: object
  #made: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: object) {
    this.#parent = parent
    this.#bindings = bindings
  }
  get #logger(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings)
    return this.#made
  }
  get level(): string {
    return this.#parent.level
  }
  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#logger.child(...args)
  }
  trace(...args: unknown[]): void {
    this.#logger.trace(...(args as [object]))
  }
  debug(...args: unknown[]): void {
    this.#logger.debug(...(args as [object]))
  }
  info(...args: unknown[]): void {
    this.#logger.info(...(args as [object]))
  }
  warn(...args: unknown[]): void {
    this.#logger.warn(...(args as [object]))
  }
  error(...args: unknown[]): void {
    this.#logger.error(...(args as [object]))
  }
  fatal(...args: unknown[]): void {
    this.#logger.fatal(...(args as [object]))
  }
  silent(): void {}
}

type Timed = ReturnType<App['metrics']['requests']['labels']>

/** The histogram with its labels, cached: looking it up takes longer than observing a value. */
function labelled(app: App): (method: string, route: string, status: number) => Timed {
  const known = new Map<string, Timed>()
  return (method, route, status) => {
    const key = `${method} ${status} ${route}`
    const timed = known.get(key) ?? app.metrics.requests.labels({ method, route, status: String(status) })
    known.set(key, timed)
    return timed
  }
}

function describe(request: FastifyRequest, reply: FastifyReply) {
  return {
    reqId: request.id,
    method: request.method,
    url: redactUrl(request.url),
    ms: Math.round(reply.elapsedTime),
    ip: addressOf(request),
    user: callingUser(request)?.username ?? request.actor ?? undefined,
  }
}
