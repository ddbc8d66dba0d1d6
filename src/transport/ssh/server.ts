/**
 * The built-in SSH server for git: accepts connections within its limits, and runs only a few commands. No shell, no terminal, no
 * forwarding.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { App } from '../../app.ts'
import { StartRefused } from '../../failure.ts'
import { type LimiterMaker, namedLimiters } from '../../limits/concurrency.ts'
import { programVersion } from '../../version.ts'
import { type SshClient, serveClient } from './connection.ts'
import { hostKeys } from './host-keys.ts'
import { connectionLimiter, defaultLimits, type SshLimits } from './limits.ts'

export interface SshServer {
  port: number
  /** Stops accepting connections, waits for running commands, and closes those that take too long. */
  close: () => Promise<void>
}

export interface SshOptions {
  host: string
  port: number
  /** Host keys; those of the data folder by default. */
  keys?: string[]
  limits?: Partial<SshLimits>
  /** Counts connections; by default for this server alone. */
  limiter?: LimiterMaker
}

export async function listenForSsh(
  app: App,
  { host, port, keys, limits: changed, limiter = namedLimiters(app.member?.limiter) }: SshOptions,
): Promise<SshServer> {
  const limits = { ...defaultLimits, ...changed }
  const gate = connectionLimiter(limits, limiter)
  const clients = new Map<string, SshClient>()
  const library = new ssh2.Server({
    hostKeys: keys ?? (await hostKeys(join(app.config.home, 'ssh'))),
    ident: `Gitstead_${programVersion}`,
    algorithms,
    keepaliveInterval: limits.keepalive_ms,
    keepaliveCountMax: 3,
  })
  library.on('connection', (connection, { ip, port }) => {
    // Without a listener its errors would end the process.
    connection.on('error', () => {})
    const client = clients.get(`${ip} ${port}`)
    if (client) client.begin(connection)
    else connection.end()
  })
  const receive = async (socket: Socket) => {
    const { remoteAddress: address, remotePort } = socket
    const slot = address === undefined ? null : await gate.enter(address)
    if (address === undefined || !slot) return refuse(app, socket)
    // Since the slot was requested, the client may have left, or the server may be stopping.
    if (socket.destroyed || !server.listening) {
      slot.leave()
      return void socket.destroy()
    }
    const name = `${address} ${remotePort}`
    clients.set(name, serveClient(app, { socket, address, slot, limits }))
    app.metrics.sshConnections.set(clients.size)
    socket.once('close', () => {
      clients.delete(name)
      app.metrics.sshConnections.set(clients.size)
    })
    library.injectSocket(socket)
  }
  // Paused until a slot is free: data without a listener would be lost.
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {})
    receive(socket).then(
      () => socket.resume(),
      (error: unknown) => {
        app.log.error({ err: error }, 'SSH: could not accept a connection')
        socket.destroy()
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isOfHost = cause.code === 'EADDRNOTAVAIL' || cause.syscall === 'getaddrinfo'
      const refused = `SSH can't listen on ${host}:${port}: ${cause.code}; GITSTEAD_SSH_PORT names another port, or off`
      const wrongHost = `GITSTEAD_SSH_HOST must be an address of this machine (got "${host}")`
      // HTTP has already reported the same wrong host.
      if (isOfHost && host === app.config.host) reject(cause)
      else reject(new StartRefused(isOfHost ? wrongHost : refused, { cause }))
    })
    // Clients that connect while a flood is being rejected wait in this queue; without it they would retry a second later.
    server.listen({ port, host, backlog: 4_096 }, resolve)
  })
  server.on('error', (error) => app.log.error({ err: error }, 'SSH: could not accept a connection'))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      const all = [...clients.values()]
      for (const client of all) client.finish()
      const late = setTimeout(() => {
        for (const client of all) client.cut()
      }, limits.stop_ms)
      await closed
      clearTimeout(late)
      // Git cleans up incomplete pushes, and finishes complete ones.
      await Promise.all(all.map((client) => client.whenIdle()))
    },
  }
}

/** Closes the socket at once, without a protocol message, which would cost more than the rejection saves. */
function refuse(app: App, socket: Socket): void {
  app.metrics.sshRefused.inc()
  app.log.debug({ address: socket.remoteAddress }, 'SSH: connection refused, limit reached')
  socket.resetAndDestroy()
}

/**
 * The fastest first; nothing that OpenSSH itself has dropped. Only cheap key exchanges, as anonymous clients may start them. No
 * compression: packs are compressed. The first key exchange is one that no client puts first. This doesn't change the negotiated one, which
 * is the first of the client's list that is also here. But a client that guesses (dropbear) sends the packet of its first choice without
 * waiting, and the guess counts if both lists begin with the same; the library drops guesses in any case, so both sides would wait for each
 * other.
 */
const algorithms = {
  kex: [
    'ecdh-sha2-nistp384',
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  compress: ['none'],
} satisfies ssh2.Algorithms as ssh2.Algorithms
