/** How connections end when the server stops: at once without a request, and after the answer to the last request otherwise. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The runtime ends only connections that are idle after a request. One that never brought a request, as browsers open them in advance
 * and clients in place of one they broke off, would delay the stop for a minute. To be called once requests are queued, so that it sees
 * a request when it arrives.
 */
export function endConnections(server: FastifyInstance): void {
  /** How many requests of each connection are under way. */
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
