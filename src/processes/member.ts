/** The side of a worker: what it asks of the primary, and what it is told. A worker whose primary is gone ends at once. */
import cluster from 'node:cluster'
import type { ConcurrencyLimiter, ConcurrencyLimits, Release } from '../limits/concurrency.ts'
import type { Answers, FromWorker, Metrics, Question, ToWorker } from './protocol.ts'

/** One of several processes of a server. */
export interface Member {
  /** Prepares the data folder, makes the first administrator and tells people that the server has started. */
  isFirst: boolean
  /** The limiter of this name, whose places all processes share. */
  limiter: (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter
  /** Waits until no other process writes to SQLite. */
  lockWrites: () => Promise<Release>
  /** The metrics of each process. */
  collectMetrics: () => Promise<Metrics[]>
  onCollect: (read: () => Promise<Metrics>) => void
  /** Called when the queue is this one's to work off. */
  onWork: (work: () => void) => void
  /** Called once: when the primary says so, or at a signal of one's own. */
  onStop: (stop: () => void) => void
  ready: () => void
  /** Parts from the primary; the process ends when nothing else keeps it. */
  leave: () => void
}

/** Null where this is no worker. Asks the primary what it is to be. */
export async function joinServer(): Promise<Member | null> {
  const { worker } = cluster
  if (!worker) return null
  const { ask, tell, ...told } = openChannel()
  const stop = once()
  told.on('stop', stop.call)
  // A terminal and some supervisors signal every process by itself: that is the same stop, however often it is said.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop.call)
  told.on('ping', (id) => tell({ tell: 'pong', id }))
  const work = once()
  told.on('work', work.call)
  const { isFirst } = await ask({ ask: 'join' }).answer

  const take = async (question: Question) => {
    const { id, answer } = ask(question)
    const given = await answer
    return given === 'granted' ? releaseOf(() => tell({ tell: 'release', id })) : given
  }
  return {
    isFirst,
    limiter: (limiter, limits) => ({
      acquire: async (key) => (await take({ ask: 'place', limiter, limits, key })) as Awaited<ReturnType<ConcurrencyLimiter['acquire']>>,
    }),
    lockWrites: async () => (await take({ ask: 'lock' })) as Release,
    collectMetrics: () => ask({ ask: 'metrics' }).answer,
    onCollect(read) {
      told.on('collect', (id) => {
        // Without an answer the primary does without these.
        read().then(
          (metrics) => tell({ tell: 'metrics', id, metrics }),
          () => {},
        )
      })
    },
    onWork: work.set,
    onStop: stop.set,
    ready: () => tell({ tell: 'ready' }),
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

/** Something that happens once, perhaps before anybody knows what to do then. */
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

type Told = Exclude<ToWorker['tell'], 'answer'>

function openChannel() {
  const asked = new Map<number, (answer: never) => void>()
  const listeners = new Map<Told, (id: number) => void>()
  let lastId = 0
  const send = (message: FromWorker) => {
    // After the primary has gone nobody hears it; the process is about to end.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  process.on('message', (message: ToWorker) => {
    if (message.tell !== 'answer') return listeners.get(message.tell)?.('id' in message ? message.id : 0)
    asked.get(message.id)?.(message.answer as never)
    asked.delete(message.id)
  })
  return {
    tell: send,
    ask<Q extends Question>(question: Q): { id: number; answer: Promise<Answers[Q['ask']]> } {
      lastId += 1
      const id = lastId
      const answer = new Promise<Answers[Q['ask']]>((resolve) => asked.set(id, resolve))
      send({ ...question, id })
      return { id, answer }
    },
    on: (what: Told, listener: (id: number) => void) => void listeners.set(what, listener),
  }
}
