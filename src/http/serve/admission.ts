/** Admits requests in order, with connections in rotation, for a few milliseconds per turn of the event loop. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setCorsHeaders } from './cors.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface AdmissionOptions {
  /** Time for requests in each turn of the event loop. A request that has started is not interrupted. */
  budget_ms?: number
  /** The budget of a turn that accepted a connection: more are probably waiting to be accepted. */
  accepting_budget_ms?: number
  /** Maximum number of waiting requests; further ones are answered with 503. */
  max_waiting?: number
  /** Maximum per connection, which may pipeline requests; beyond it the connection is closed. */
  max_waiting_per_connection?: number
  /** Requests that never wait. */
  isUrgent?: (url: string) => boolean
  /** Called with the time a request has waited, in milliseconds; not for requests that start at once. */
  onWaited?: (ms: number) => void
  onRefused?: () => void
  /** Called for a request whose client left while it waited, with the waiting time in milliseconds. */
  onAbandoned?: (request: IncomingMessage, ms: number) => void
}

interface Waiting {
  request: IncomingMessage
  response: ServerResponse
  since: number
}

/**
 * Puts a queue in front of the request handlers of a server. Node.js accepts one connection per turn of its event loop, and handles every
 * ready socket in that turn: with 170 busy clients a turn takes long, and a hundred new connections wait for a hundred turns. If the queue
 * is empty and the turn has time left, a request is handled at once.
 */
export function queueRequests(server: Server, options: AdmissionOptions = {}): void {
  const { budget_ms = 5, accepting_budget_ms = 0.5, max_waiting = 4_000, max_waiting_per_connection = 100 } = options
  const { isUrgent = () => false, onWaited = () => {}, onRefused = () => {}, onAbandoned = () => {} } = options
  const handlers = server.listeners('request') as Handler[]
  const handle: Handler = (request, response) => {
    for (const handler of handlers) handler.call(server, request, response)
  }
  const waiting = rotation<Waiting>()
  /** When this turn started its first request; null before. */
  let began: number | null = null
  let hasAccepted = false
  let isShort = false
  /** Whether the time taken by a request isn't known yet. A connection may bring a thousand of them at once. */
  let isStarting = false

  const hasTime = (began: number) => performance.now() - began < (hasAccepted || isShort ? accepting_budget_ms : budget_ms)

  function beginTurn(): number {
    began = performance.now()
    setImmediate(endTurn)
    return began
  }

  function endTurn(): void {
    began = null
    isShort = hasAccepted
    hasAccepted = false
    if (waiting.size() > 0) startNext(beginTurn())
  }

  function startNext(turn: number): void {
    const next = waiting.shift()
    if (!next) return
    const { request, response, since } = next
    afterwards(turn)
    const waited_ms = performance.now() - since
    if (request.socket.destroyed) {
      onAbandoned(request, waited_ms)
      return
    }
    onWaited(waited_ms)
    handle(request, response)
  }

  /** Most of the work of a request happens in the microtasks after this one, so the time is checked when they are done. */
  function afterwards(turn: number): void {
    isStarting = true
    queueMicrotask(() =>
      process.nextTick(() => {
        isStarting = false
        if (began === turn && hasTime(turn)) startNext(turn)
      }),
    )
  }

  server.removeAllListeners('request')
  server.on('connection', () => {
    hasAccepted = true
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // A chunk that has been read is parsed completely.
    if (socket.destroyed) return
    const turn = began ?? beginTurn()
    // A second request of the same chunk always waits: there could be a thousand of them.
    const isNext = isUrgent(request.url ?? '') || (waiting.size() === 0 && hasTime(turn))
    if (isNext && !isStarting) {
      afterwards(turn)
      return handle(request, response)
    }
    if (waiting.sizeOf(socket) >= max_waiting_per_connection) {
      onRefused()
      return void socket.destroy()
    }
    if (waiting.size() < max_waiting) return waiting.push(socket, { request, response, since: performance.now() })
    onRefused()
    refuse(request, response)
  })
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  setCorsHeaders(request, response)
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
  response.end(JSON.stringify({ message: '503 Too many requests are waiting; try again later' }))
}

/** Returns one item of each key in rotation: a client that sends a thousand at once doesn't delay one that sends a single request. */
function rotation<T>() {
  const queues = new Map<object, T[]>()
  let size = 0
  return {
    size: () => size,
    sizeOf: (key: object) => queues.get(key)?.length ?? 0,
    push(key: object, item: T): void {
      const queue = queues.get(key)
      if (queue) queue.push(item)
      else queues.set(key, [item])
      size += 1
    },
    shift(): T | undefined {
      const [first] = queues
      if (!first) return undefined
      const [key, queue] = first
      const item = queue.shift()
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      size -= 1
      return item
    },
  }
}
