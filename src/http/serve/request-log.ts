/** The request log and request metrics, without secrets. */
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { addressOf } from '../caller/address.ts'
import { callingUser } from '../caller/callers.ts'
import { redactUrl } from '../reply/redact.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller authenticated for git: the name of a user or of a deploy token. */
    actor: string | null
  }
}

export function logRequests(server: FastifyInstance, app: App): void {
  const timed = labelled(app)
  server.decorateRequest('actor', null)
  server.addHook('onResponse', (request, reply, done) => {
    timed(request.method, request.served?.path ?? request.routeOptions.url ?? 'none', reply.statusCode).observe(reply.elapsedTime / 1000)
    if (app.log.isLevelEnabled('info')) app.log.info(describe(request, reply), 'request')
    done()
  })
}

/** The logger of one request, made when it first has something to log: most have no line but the one above. */
export function lazyLogger(logger: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  return new LazyLogger(logger, bindings) as unknown as FastifyBaseLogger
}

/** A class, for there is one of each request: its methods are made once. */
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

/** The histogram by its labels, cached: looking it up costs more than observing. */
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
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ip: addressOf(request),
    user: callingUser(request)?.username ?? request.actor ?? undefined,
  }
}
