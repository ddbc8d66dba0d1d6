/** Listens for HTTP on every address of a host name, with one common set of limits. */
import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface ListenOptions {
  host: string
  port: number
  /** Called if a further address of the host can't be listened on: `localhost` may resolve to ::1 on a machine without IPv6. */
  onError: (error: unknown) => void
  /** Replaces the look-up in tests. */
  addressesOf?: (host: string) => Promise<string[]>
}

export interface Listener {
  /** Stops listening on the further addresses; the server itself closes the first one. */
  close: () => void
}

/**
 * The framework would open separate servers for further addresses of `localhost`, which bypass the queue of requests and the limits of
 * connections. Here the further listeners only accept, and pass every connection to the one server.
 */
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<Listener> {
  const { host, port, onError, addressesOf = lookUp } = options
  const [first, ...others] = host === 'localhost' ? await addressesOf(host) : [host]
  await server.listen({ host: first ?? host, port })
  const { port: actual } = server.server.address() as AddressInfo
  const acceptors: Server[] = []
  for (const address of others) {
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.server.emit('connection', socket))
    await listenOn(acceptor, address, actual).then(() => acceptors.push(acceptor.on('error', onError)), onError)
  }
  return {
    close() {
      for (const acceptor of acceptors) acceptor.close()
    },
  }
}

async function lookUp(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
