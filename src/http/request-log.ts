/** The request log and request metrics, without secrets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { addressOf } from './address.ts'
import { redactUrl } from './redact.ts'

export function logRequests(server: FastifyInstance, app: App): void {
  const timed = labelled(app)
  server.addHook('onResponse', (request, reply, done) => {
    timed(request.method, request.routeOptions.url ?? 'none', reply.statusCode).observe(reply.elapsedTime / 1000)
    if (app.log.isLevelEnabled('info')) request.log.info(describe(request, reply), 'request')
    done()
  })
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
    method: request.method,
    url: redactUrl(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ip: addressOf(request),
    user: request.caller?.user?.username,
  }
}
