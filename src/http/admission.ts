/** When a request is started: in the order they came, and in each turn of the event loop only for a few milliseconds. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface AdmissionOptions {
  /** Time for requests in each turn of the event loop. A request that has been started is not interrupted. */
  budget_ms?: number
  /** The same in a turn that has accepted a connection: others are likely to wait for theirs. */
  accepting_budget_ms?: number
  /** Requests that may wait; further ones are answered with 503. */
  max_waiting?: number
  /** Requests that never wait. */
  isUrgent?: (url: string) => boolean
  /** Called with the time a request has waited, in milliseconds; not for those that were started at once. */
  onWaited?: (ms: number) => void
  onRefused?: () => void
}

interface Waiting {
  request: IncomingMessage
  response: ServerResponse
  since: number
}

/**
 * Puts a queue in front of what handles the requests of a server. The runtime accepts one connection in each turn of its event
 * loop, and by itself answers every socket that is ready in it: with 170 busy clients a turn takes long, and a hundred new
 * connections wait for a hundred turns. With an empty queue and time left in the turn, a request is handled at once.
 */
export function queueRequests(server: Server, options: AdmissionOptions = {}): void {
  const { budget_ms = 5, accepting_budget_ms = 0.5, max_waiting = 4_000 } = options
  const { isUrgent = () => false, onWaited = () => {}, onRefused = () => {} } = options
  const handlers = server.listeners('request') as Handler[]
  const handle: Handler = (request, response) => {
    for (const handler of handlers) handler.call(server, request, response)
  }
  const waiting = fifo<Waiting>()
  /** When this turn began to handle requests; null before its first one. */
  let began: number | null = null
  let hasAccepted = false

  const hasTime = (began: number) => performance.now() - began < (hasAccepted ? accepting_budget_ms : budget_ms)

  function beginTurn(): number {
    began = performance.now()
    setImmediate(endTurn)
    return began
  }

  function endTurn(): void {
    began = null
    if (waiting.size() > 0) startNext(beginTurn())
    hasAccepted = false
  }

  function startNext(turn: number): void {
    const next = waiting.shift()
    if (!next) return
    const { request, response, since } = next
    // What most requests cost comes in the microtasks after this one: the time is looked at when they are done.
    queueMicrotask(() => process.nextTick(() => began === turn && hasTime(turn) && startNext(turn)))
    if (request.socket.destroyed) return
    onWaited(performance.now() - since)
    handle(request, response)
  }

  server.removeAllListeners('request')
  server.on('connection', () => {
    hasAccepted = true
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isUrgent(request.url ?? '')) return handle(request, response)
    if (waiting.size() === 0 && hasTime(began ?? beginTurn())) return handle(request, response)
    if (waiting.size() < max_waiting) return waiting.push({ request, response, since: performance.now() })
    onRefused()
    refuse(response)
  })
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
  response.end(JSON.stringify({ message: '503 Too many requests are waiting; try again later' }))
}

/** An array whose beginning moves: to shift thousands of elements for each one is work of its own. */
function fifo<T>() {
  let items: T[] = []
  let first = 0
  return {
    size: () => items.length - first,
    push: (item: T): void => void items.push(item),
    shift(): T | undefined {
      if (first === items.length) return undefined
      const item = items[first]
      first += 1
      if (first === items.length || first > 1_000) {
        items = items.slice(first)
        first = 0
      }
      return item
    },
  }
}
