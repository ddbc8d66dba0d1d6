/**
 * The worker's side of a server with several processes: requests to the primary, and messages from it. A worker exits when its primary is
 * gone.
 */
import cluster from 'node:cluster'
import type { ConcurrencyLimiter, ConcurrencyLimits, Release } from '../limits/concurrency.ts'
import type { RequestCounter } from '../limits/throttles.ts'
import type { Answers, FromWorker, Metrics, ToWorker, WorkerRequest } from './protocol.ts'

/** One of several processes of a server. */
export interface Member {
  /** Whether it prepares the data folder, creates the first administrator and reports that the server has started. */
  isFirst: boolean
  /** The limiter of this name, shared by all processes. */
  limiter: (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter
  /** Counts the requests of all processes. */
  counter: RequestCounter
  /** Waits until no other process writes to SQLite. */
  lockWrites: () => Promise<Release>
  /** The metrics of every process. */
  collectMetrics: () => Promise<Metrics[]>
  onCollect: (read: () => Promise<Metrics>) => void
  /** Registers a listener for when this process is chosen to run the queue. */
  onWork: (work: () => void) => void
  /** Tells the process that runs the queue that this one has committed a job. */
  announce: (lane: string) => void
  /** Registers a listener that gets the lane of a job that another process has committed. */
  onAnnounced: (listener: (lane: string) => void) => void
  /** Registers a listener that is called once: on a message of the primary, or on a signal to this process. */
  onStop: (stop: () => void) => void
  ready: () => void
  /** Disconnects from the primary; the process exits when nothing else keeps it alive. */
  leave: () => void
}

/** Registers with the primary; null if this process is not a worker. */
export async function joinServer(): Promise<Member | null> {
  const { worker } = cluster
  if (!worker) return null
  const { request, notify, ...received } = openChannel()
  const stop = once()
  received.on('stop', stop.call)
  // A terminal and some supervisors signal every process: all of these are the same stop.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop.call)
  received.on('ping', (id) => notify({ notify: 'pong', id }))
  const work = once()
  received.on('work', work.call)
  const { isFirst } = await request({ request: 'join' }).answer

  const take = async (payload: WorkerRequest) => {
    const { id, answer } = request(payload)
    const given = await answer
    return given === 'granted' ? releaseOf(() => notify({ notify: 'release', id })) : given
  }
  return {
    isFirst,
    limiter: (limiter, limits) => ({
      acquire: async (key) => (await take({ request: 'slot', limiter, limits, key })) as Awaited<ReturnType<ConcurrencyLimiter['acquire']>>,
    }),
    counter: {
      count: (name, key, period_s) => request({ request: 'count', name, key, period_s }).answer,
      above: (name, rule) => request({ request: 'above', name, rule }).answer,
    },
    lockWrites: async () => (await take({ request: 'lock' })) as Release,
    collectMetrics: () => request({ request: 'metrics' }).answer,
    onCollect(read) {
      received.on('collect', (id) => {
        // Without an answer the primary leaves these metrics out.
        read().then(
          (metrics) => notify({ notify: 'metrics', id, metrics }),
          () => {},
        )
      })
    },
    onWork: work.set,
    announce: (lane) => notify({ notify: 'enqueued', lane }),
    onAnnounced: (listener) => received.onEnqueued(listener),
    onStop: stop.set,
    ready: () => notify({ notify: 'ready' }),
    leave: () => void worker.disconnect(),
  }
}

function releaseOf(release: () => void): Release {
  let held = true
  return () => {
    if (held) release()
    held = false
  }
}

/** An event that happens once, possibly before its listener is added. */
function once() {
  let hasHappened = false
  let then: (() => void) | null = null
  return {
    call() {
      if (hasHappened) return
      hasHappened = true
      then?.()
    },
    set(todo: () => void) {
      then = todo
      if (hasHappened) todo()
    },
  }
}

type Notification = Exclude<ToWorker['notify'], 'answer' | 'enqueued'>

function openChannel() {
  const pending = new Map<number, (answer: never) => void>()
  const listeners = new Map<Notification, (id: number) => void>()
  let onEnqueued: (lane: string) => void = () => {}
  let lastId = 0
  const send = (message: FromWorker) => {
    // Fails if the primary is gone; this process is about to exit then.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  process.on('message', (message: ToWorker) => {
    if (message.notify === 'enqueued') return onEnqueued(message.lane)
    if (message.notify !== 'answer') return listeners.get(message.notify)?.('id' in message ? message.id : 0)
    pending.get(message.id)?.(message.answer as never)
    pending.delete(message.id)
  })
  return {
    notify: send,
    request<Q extends WorkerRequest>(payload: Q): { id: number; answer: Promise<Answers[Q['request']]> } {
      lastId += 1
      const id = lastId
      const answer = new Promise<Answers[Q['request']]>((resolve) => pending.set(id, resolve))
      send({ ...payload, id })
      return { id, answer }
    },
    on: (what: Notification, listener: (id: number) => void) => void listeners.set(what, listener),
    onEnqueued(listener: (lane: string) => void) {
      onEnqueued = listener
    },
  }
}
