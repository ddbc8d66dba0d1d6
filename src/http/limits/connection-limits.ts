/** Limits of HTTP connections, in total and per address: further connections are answered with 503 and closed. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressList, contains, networkOf } from '../../limits/network.ts'
import type { LimitConfig } from '../../limits/settings.ts'

export interface ConnectionOptions {
  limits: LimitConfig['connections']
  /** Addresses and networks whose connections belong to many clients. */
  trusted_proxies: string[]
  onRefused: () => void
}

/** How long a client has to read the refusal. */
const farewell_ms = 1_000

const refusal = JSON.stringify({ message: '503 Too many connections; try again later' })
const answer = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: application/json',
  `content-length: ${refusal.length}`,
  'retry-after: 5',
  'connection: close',
  '',
  refusal,
].join('\r\n')

/** Counts the connections of this process, since memory and file descriptors are limited per process. */
export function limitConnections(server: Server, { limits, trusted_proxies, onRefused }: ConnectionOptions): void {
  const accept = server.listeners('connection') as Array<(socket: Socket) => void>
  const proxies = addressList(trusted_proxies)
  const counts = new Map<string, number>()
  let total = 0

  const release = (key: string) => {
    total -= 1
    const left = (counts.get(key) ?? 0) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket
    const key = networkOf(address)
    const count = counts.get(key) ?? 0
    const isRefused = total >= limits.total || (count >= limits.of_address && !contains(proxies, address))
    if (isRefused) {
      onRefused()
      return refuse(socket)
    }
    counts.set(key, count + 1)
    total += 1
    socket.once('close', () => release(key))
    for (const listener of accept) listener.call(server, socket)
  })
}

/** Bytes that the client sends meanwhile are read and dropped: closing with unread bytes would discard the answer. */
function refuse(socket: Socket): void {
  socket.on('error', () => {})
  socket.resume().end(answer)
  const late = setTimeout(() => socket.destroy(), farewell_ms)
  socket.once('close', () => clearTimeout(late))
}
