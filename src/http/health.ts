/** For those who watch over the process: is it there, can it work, what does it count. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { App } from '../app.ts'
import { notFound } from '../failure.ts'
import { readMetrics } from '../metrics.ts'
import { authenticate } from './authenticate.ts'

const patience_ms = 3_000

/** Whether a request asks if the process is there: a monitor that has to wait its turn would take a busy server for a dead one. */
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
    if (!isLocal(request) && !(await authenticate(app, request)).user?.admin) throw notFound()
    return reply.type(app.metrics.registry.contentType).send(await readMetrics(app.metrics, app.member))
  })
}

/** Anybody may ask, as often as they like, and each check writes a file. */
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
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, patience_ms, false).unref())
  return Promise.race([
    late,
    check().then(
      () => true,
      () => false,
    ),
  ])
}

/** What proxies add to a request that they forward, whether or not they are trusted. */
const ofProxies = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

/** From this machine, and not on behalf of somebody elsewhere. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') && ofProxies.every((name) => headers[name] === undefined)
}
