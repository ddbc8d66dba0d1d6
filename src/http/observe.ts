/** One line in the log and one count in the metrics for each request, without anybody's secrets. */
import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { withoutSecrets } from './secrets.ts'

export function observeRequests(server: FastifyInstance, app: App): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    const seconds = reply.elapsedTime / 1000
    app.metrics.requests.observe({ method: request.method, route, status: String(reply.statusCode) }, seconds)
    request.log.info(
      {
        method: request.method,
        url: withoutSecrets(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ip: request.ip,
        user: request.caller?.user?.username,
      },
      'request',
    )
  })
}
