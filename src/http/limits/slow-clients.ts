/** Closes connections of clients that send their body or read their answer too slowly. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { AppLimits } from '../../limits/streams.ts'

type Limits = Pick<AppLimits, 'slow_body' | 'silence_ms'>

/** Requests whose body has separate limits (`streams.ts`). */
const streaming = new WeakSet<IncomingMessage>()

/** Exempts a request from the limit on its body: a push may take hours. */
export function allowLongBody(request: IncomingMessage): void {
  streaming.add(request)
}

/**
 * Ends requests of slow clients, with 408 if no response was started. The runtime limits the time for the header (60 s); its limit for
 * whole requests would also end long pushes.
 */
export function endSlowClients(server: Server, limits: Limits): void {
  server.setTimeout(limits.silence_ms.download)
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.on('timeout', endIfUnread)
    if (hasBody(request)) watchBody(server, request, response, limits.slow_body)
  })
}

/** Whether the request has a body, however short. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function watchBody(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  { period_ms, min_bytes, max_pause_periods }: Limits['slow_body'],
): void {
  const { socket } = request
  const first = socket.bytesRead
  let received = first
  let periods = 0
  let pause = 0
  const watch = setInterval(() => {
    const isOver = request.complete || socket.destroyed || streaming.has(request)
    if (isOver) return clearInterval(watch)
    periods += 1
    pause = socket.bytesRead - received < min_bytes ? pause + 1 : 0
    received = socket.bytesRead
    const isSlow = received - first < periods * min_bytes || pause > max_pause_periods
    // Bytes that have arrived but were not read yet are the server's delay.
    if (isSlow && request.readableLength === 0) end(server, socket, response)
  }, period_ms)
  watch.unref()
  const stop = () => {
    // The connection of a request that was answered early is closed before its body is complete.
    if (request.complete || socket.destroyed) clearInterval(watch)
  }
  request.once('end', stop)
  request.once('close', stop)
}

function end(server: Server, socket: Socket, response: ServerResponse): void {
  // As the runtime does for a slow header: the framework answers 408.
  const isUnanswered = response.socket === socket && !response.headersSent
  if (isUnanswered)
    server.emit('clientError', Object.assign(new Error('the body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroy()
}

/** Nothing has been transferred on the connection for this long. If the server has nothing to send yet, the client isn't to blame. */
function endIfUnread(this: ServerResponse): void {
  const { socket } = this
  if (!(socket instanceof Socket)) return
  if (this.writableLength > 0) socket.destroy()
  else socket.setTimeout(socket.timeout ?? 0)
}
