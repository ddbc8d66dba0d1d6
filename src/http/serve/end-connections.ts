/** Ends connections when the server stops: idle ones at once, others after the answer to their current request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The runtime only closes connections that are idle after a request. A connection that never sent one, such as those that browsers open in
 * advance and those that clients open to replace an aborted one, would delay the stop for a minute. Call this after requests are queued, so
 * that it sees each request when it arrives.
 */
export function endConnections(server: FastifyInstance): void {
  /** Number of running requests per connection. */
  const requests = new Map<Socket, number>()
  let isStopping = false

  function add(socket: Socket): void {
    if (isStopping) return void socket.destroy()
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
  }
  function count(socket: Socket, change: 1 | -1): void {
    const before = requests.get(socket)
    if (before === undefined) return
    requests.set(socket, before + change)
    if (isStopping && before + change === 0) socket.destroySoon()
  }

  server.server.on('connection', add)
  server.server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  server.addHook('preClose', (done) => {
    isStopping = true
    for (const [socket, open] of requests) if (open === 0) socket.destroy()
    done()
  })
}
