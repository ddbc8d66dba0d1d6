/** Assembles the server: HTTP endpoints, git over HTTP and SSH, and the job queue. */
import type { FastifyInstance } from 'fastify'
import type { App } from './app.ts'
import { endpoints, jobs } from './features/index.ts'
import { watchThrottles } from './features/instance/settings/settings.ts'
import { watchStorage } from './features/instance/storage-health/storage-health.ts'
import { watchFetches } from './features/repository/fetches/fetches.ts'
import { watchAppearance } from './features/storage/appearance/appearance.ts'
import { openApiDocument } from './http/declare/openapi.ts'
import { docsRoutes } from './http/serve/docs.ts'
import { healthRoutes } from './http/serve/health.ts'
import { type Listener, listen } from './http/serve/listen.ts'
import { mount } from './http/serve/mount.ts'
import { refuseVersion3 } from './http/serve/removed-version.ts'
import { openServer } from './http/serve/server.ts'
import { type LimiterMaker, namedLimiters } from './limits/concurrency.ts'
import type { SlotServer } from './limits/slot-socket.ts'
import { assetRoutes } from './pages/frame/assets.ts'
import type { Page } from './pages/frame/declaration.ts'
import { mountPages } from './pages/frame/mount.ts'
import { announce, onEnqueued } from './queue/queue.ts'
import { slots, startWorker, type Worker } from './queue/worker.ts'
import { distinguishClients, repositoryRoutes } from './transport/http.ts'
import { listenForSsh, type SshServer } from './transport/ssh/server.ts'
import { serveShells } from './transport/ssh/shell.ts'
import { programVersion } from './version.ts'

/** All pages, loaded with the first request for one: a server that only programs use saves their 10 MB. */
const allPages = async (): Promise<readonly Page[]> => (await import('./pages/index.ts')).pages

/** Builds the server with every route; not listening yet. */
export async function buildServer(app: App, shown = allPages): Promise<FastifyInstance> {
  const server = await openServer(app)
  distinguishClients(server)
  mount(server, app, endpoints)
  refuseVersion3(server)
  healthRoutes(server, app)
  docsRoutes(server, () => openApiDocument(endpoints, app.config.url, programVersion))
  assetRoutes(server)
  await repositoryRoutes(server, app)
  await mountPages(server, app, shown)
  return server
}

export interface Running {
  server: FastifyInstance
  ssh: SshServer | null
  /** Finishes running work, then releases everything but the app. */
  stop: () => Promise<void>
}

/**
 * Starts listening and running the queue. Readiness is reported last.
 * @param ssh_keys the host keys, if they are already being generated
 */
export async function serve(app: App, ssh_keys: Promise<string[]> | null = null): Promise<Running> {
  const { host, port } = app.config
  const limiter = namedLimiters(app.member?.limiter)
  const [ssh, server] = await Promise.all([serveSsh(app, ssh_keys, limiter), buildServer(app)])
  let listener: Listener | null = null
  let shells: SlotServer | null = null
  let isStopping = false
  let worker: Worker | null = null
  const watches = [await watchThrottles(app), await watchAppearance(app)]
  const endFetches = watchFetches(app)
  const work = () => {
    if (isStopping || worker) return
    worker = startWorker(app, jobs, { looksSoon: true })
    watches.push(watchStorage(app))
  }
  // With several processes, one runs the queue: the primary chooses which, and the others tell it what they enqueue.
  if (app.member) {
    const { member } = app
    watches.push(onEnqueued((lane) => void (worker || member.announce(lane))))
    member.onAnnounced((name) => {
      const lane = slots.find((one) => one === name)
      if (worker && lane) announce(lane)
    })
    member.onWork(work)
  } else work()
  const stop = async () => {
    isStopping = true
    listener?.close()
    for (const endWatch of watches) endWatch()
    await Promise.all([server.close(), ssh?.close(), shells?.close()])
    await endFetches()
    await worker?.stop()
  }
  try {
    listener = await listen(server, { host, port, onError: (error) => app.log.warn({ err: error }, 'HTTP: not listening on an address') })
  } catch (error) {
    // Open listeners would keep alive a process that has refused to start.
    await stop()
    throw error
  }
  shells = await serveShells(app, limiter)
  // Once for all processes.
  if (app.mailer === null && app.member?.isFirst !== false) app.log.info('mail: off, as GITSTEAD_SMTP_URL is not set')
  return { server, ssh, stop }
}

/** Another Gitstead may use the default port: it was not configured, so the conflict doesn't prevent the start. */
async function serveSsh(app: App, ssh_keys: Promise<string[]> | null, limiter: LimiterMaker): Promise<SshServer | null> {
  const { ssh_host: host, ssh_port: port, ssh_port_asked } = app.config
  if (port === null) return null
  try {
    return await listenForSsh(app, { host, port, limiter, ...(ssh_keys && { keys: await ssh_keys }) })
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException }
    if (ssh_port_asked || cause?.code !== 'EADDRINUSE') throw error
    app.log.warn({ err: error }, 'SSH server not started')
    return null
  }
}
