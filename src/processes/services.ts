/** Shared state that the primary holds for all workers: slots of limiters, counts of requests, the write lock, and who holds what. */
import { type ConcurrencyLimiter, concurrencyLimiter, type Release } from '../limits/concurrency.ts'
import { requestCounter } from '../limits/throttles.ts'
import type { Answers, FromWorker, Metrics, ToWorker, WorkerRequest } from './protocol.ts'
import { openWriteLock, watchLock } from './write-lock.ts'

type Send = (message: ToWorker) => void

export interface Services {
  /** Adds a worker. */
  add: (worker: number, send: Send) => void
  /** Answers the requests of a worker, except those at its start. */
  handle: (worker: number, message: FromWorker) => void
  /** Releases what a dead worker held. */
  remove: (worker: number) => void
}

interface Held {
  send: Send
  /** Keyed by the ids of requests that hold something to be released, or wait for the lock. */
  grants: Map<number, Release>
}

/** How long a worker may take to collect its metrics; slower ones are left out. */
const patience_ms = 2_000

export interface ServicesOptions {
  /** Called with a worker that holds the lock while others wait, and neither answers nor uses the processor. */
  onHung?: (worker: number) => void
  /** Processor time that the worker has used, in milliseconds; null if unknown. */
  usedCpu_ms?: (worker: number) => number | null
}

export function openServices({ onHung = () => {}, usedCpu_ms = () => null }: ServicesOptions = {}): Services {
  const workers = new Map<number, Held>()
  const limiters = new Map<string, ConcurrencyLimiter>()
  const requests = requestCounter()
  const lock = openWriteLock()
  const ping = (worker: number, id: number) => workers.get(worker)?.send({ notify: 'ping', id })
  const watchdog = watchLock(lock, { ping, usedCpu_ms, onHung })
  const collections = new Map<number, (worker: number, metrics: Metrics) => void>()
  let lastCollection = 0

  const answer = <A extends WorkerRequest['request']>(worker: number, id: number, given: Answers[A]) =>
    workers.get(worker)?.send({ notify: 'answer', id, answer: given })

  async function grantSlot(worker: number, { id, limiter: name, limits, key }: Extract<FromWorker, { request: 'slot' }>): Promise<void> {
    const limiter = limiters.get(name) ?? concurrencyLimiter(limits)
    limiters.set(name, limiter)
    const slot = await limiter.acquire(key)
    if (typeof slot === 'string') return void answer(worker, id, slot)
    const held = workers.get(worker)
    // It may have died meanwhile.
    if (!held) return slot()
    held.grants.set(id, slot)
    answer(worker, id, 'granted')
  }

  function grantLock(worker: number, id: number): void {
    // Messages sent before its death may arrive after its exit event.
    const held = workers.get(worker)
    held?.grants.set(
      id,
      lock.acquire(worker, () => answer(worker, id, 'granted')),
    )
  }

  async function count(worker: number, { id, name, key, period_s }: Extract<FromWorker, { request: 'count' }>): Promise<void> {
    answer(worker, id, await requests.count(name, key, period_s))
  }

  async function listAbove(worker: number, { id, name, rule }: Extract<FromWorker, { request: 'above' }>): Promise<void> {
    answer(worker, id, await requests.above(name, rule))
  }

  function collect(worker: number, id: number): void {
    lastCollection += 1
    const collection = lastCollection
    const missing = new Set(workers.keys())
    const found: Metrics[] = []
    const finish = () => {
      clearTimeout(late)
      if (collections.delete(collection)) answer(worker, id, found)
    }
    const late = setTimeout(finish, patience_ms)
    collections.set(collection, (from, metrics) => {
      if (missing.delete(from)) found.push(metrics)
      if (missing.size === 0) finish()
    })
    for (const { send } of workers.values()) send({ notify: 'collect', id: collection })
  }

  function handleRequest(worker: number, message: Extract<FromWorker, { request: string }>): void {
    if (message.request === 'slot') void grantSlot(worker, message)
    else if (message.request === 'lock') grantLock(worker, message.id)
    else if (message.request === 'count') void count(worker, message)
    else if (message.request === 'above') void listAbove(worker, message)
    else if (message.request === 'metrics') collect(worker, message.id)
  }

  return {
    add: (worker, send) => void workers.set(worker, { send, grants: new Map() }),
    handle(worker, message) {
      if ('request' in message) {
        handleRequest(worker, message)
      } else if (message.notify === 'release') {
        const grants = workers.get(worker)?.grants
        grants?.get(message.id)?.()
        grants?.delete(message.id)
      } else if (message.notify === 'pong') watchdog.onPong(message.id)
      else if (message.notify === 'metrics') collections.get(message.id)?.(worker, message.metrics)
    },
    remove(worker) {
      const held = workers.get(worker)
      workers.delete(worker)
      for (const release of held?.grants.values() ?? []) release()
    },
  }
}
