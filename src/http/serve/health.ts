/** Liveness, readiness and metrics, for monitoring. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { userOf } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import { notFound } from '../../failure.ts'
import { readMetrics } from '../../logging/metrics.ts'
import { authenticate } from '../caller/authenticate.ts'

const timeout_ms = 3_000

/** Whether a request is a health probe. Probes skip the queue: a monitor that had to wait would consider a busy server dead. */
export function isProbe(url: string): boolean {
  return /^\/-\/(liveness|readiness|health)(\?|$)/.test(url)
}

export function healthRoutes(server: FastifyInstance, app: App): void {
  server.get('/-/liveness', async () => ({ status: 'ok' }))
  server.get('/-/health', async (_, reply) => reply.type('text/plain').send('Gitstead OK'))
  const check = sharedWhileUnderWay(async () => ({
    database: await answers(() => sql`select 1`.execute(app.db)),
    storage: await answers(() => app.git.probe()),
  }))
  server.get('/-/readiness', async (_, reply) => {
    const checks = await check()
    const ready = Object.values(checks).every(Boolean)
    const shown = Object.fromEntries(Object.entries(checks).map(([name, ok]) => [`${name}_check`, { status: ok ? 'ok' : 'failed' }]))
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'failed', ...shown })
  })
  server.get('/-/metrics', async (request, reply) => {
    if (!isLocal(request) && !userOf((await authenticate(app, request, { jobTokens: false })).principal)?.admin) throw notFound()
    return reply.type(app.metrics.registry.contentType).send(await readMetrics(app.metrics, app.member))
  })
}

/** Anyone may call this at any rate, and each check writes a file, so concurrent calls share one check. */
function sharedWhileUnderWay<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, timeout_ms, false).unref())
  return Promise.race([
    late,
    check().then(
      () => true,
      () => false,
    ),
  ])
}

/** Headers that proxies add, whether or not they are trusted. */
const proxyHeaders = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

/** Whether the request comes from this machine and was not forwarded for another one. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') && proxyHeaders.every((name) => headers[name] === undefined)
}
