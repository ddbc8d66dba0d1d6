/** One line in the log and one count in the metrics for each request, without anybody's secrets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { addressOf } from './address.ts'
import { withoutSecrets } from './redact.ts'

export function logRequests(server: FastifyInstance, app: App): void {
  const timed = labelled(app)
  server.addHook('onResponse', (request, reply, done) => {
    timed(request.method, request.routeOptions.url ?? 'none', reply.statusCode).observe(reply.elapsedTime / 1000)
    if (app.log.isLevelEnabled('info')) request.log.info(describe(request, reply), 'request')
    done()
  })
}

type Timed = ReturnType<App['metrics']['requests']['labels']>

/** The histogram under its labels: there are few of them, and to find it anew costs more than to observe. */
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
    url: withoutSecrets(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ip: addressOf(request),
    user: request.caller?.user?.username,
  }
}
