/** Assembles the server: HTTP endpoints, git over HTTP and SSH, and the job queue. */
import type { FastifyInstance } from 'fastify'
import type { App } from './app.ts'
import { endpoints, jobs } from './features/index.ts'
import { docsRoutes } from './http/docs.ts'
import { healthRoutes } from './http/health.ts'
import { mount } from './http/mount.ts'
import { openApiDocument } from './http/openapi.ts'
import { refuseVersion3 } from './http/removed-version.ts'
import { openServer } from './http/server.ts'
import { pageRoutes } from './pages/pages.ts'
import { startWorker, type Worker } from './queue/worker.ts'
import { repositoryRoutes } from './transport/http.ts'
import { listenForSsh, type SshServer } from './transport/ssh/server.ts'
import { programVersion } from './version.ts'

/** Every route of the service; not listening yet. */
export async function buildServer(app: App): Promise<FastifyInstance> {
  const server = await openServer(app)
  mount(server, app, endpoints)
  refuseVersion3(server)
  healthRoutes(server, app)
  docsRoutes(server, () => openApiDocument(endpoints, app.config.url, programVersion))
  await pageRoutes(server, app)
  await repositoryRoutes(server, app)
  return server
}

export interface Running {
  server: FastifyInstance
  ssh: SshServer | null
  /** Finishes what is under way, then lets go of everything but the app. */
  stop: () => Promise<void>
}

/** Starts listening, and working off the queue. Readiness is reported last. */
export async function serve(app: App): Promise<Running> {
  const { host, port } = app.config
  // At once: the keys of a first start take longer to make than all the rest.
  const [ssh, server] = await Promise.all([serveSsh(app), buildServer(app)])
  let isStopping = false
  let worker: Worker | null = null
  const work = () => {
    if (!isStopping) worker ??= startWorker(app, jobs)
  }
  // Of several processes one works off the queue: the primary chooses which.
  if (app.member) app.member.onWork(work)
  else work()
  const stop = async () => {
    isStopping = true
    await Promise.all([server.close(), ssh?.close()])
    await worker?.stop()
  }
  try {
    await server.listen({ host, port })
  } catch (error) {
    // What listens already would keep a process alive that has refused to start.
    await stop()
    throw error
  }
  return { server, ssh, stop }
}

/** The usual port may be another Gitstead's: it was not configured, so a conflict doesn't prevent the start. */
async function serveSsh(app: App): Promise<SshServer | null> {
  const { host, ssh_port: port, ssh_port_asked } = app.config
  if (port === null) return null
  try {
    return await listenForSsh(app, { host, port })
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException }
    if (ssh_port_asked || cause?.code !== 'EADDRINUSE') throw error
    app.log.warn({ err: error }, 'SSH server not started')
    return null
  }
}
