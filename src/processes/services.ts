/** What the primary keeps for all workers: places of shared limiters, the lock on writing, and who has what. */
import { type ConcurrencyLimiter, concurrencyLimiter, type Release } from '../limits/concurrency.ts'
import type { Answers, FromWorker, Metrics, Question, ToWorker } from './protocol.ts'
import { openWriteLock, watchLock } from './write-lock.ts'

type Send = (message: ToWorker) => void

export interface Services {
  /** Takes a worker in. */
  add: (worker: number, send: Send) => void
  /** Answers whatever a worker says, but for what concerns its start. */
  handle: (worker: number, message: FromWorker) => void
  /** The worker is gone: what it had is given back. */
  remove: (worker: number) => void
}

interface Held {
  send: Send
  /** By the numbers of the questions that were answered with something to be released; the lock while it is waited for, too. */
  grants: Map<number, Release>
}

/** How long a worker may take to read its metrics: one that is busy for longer is left out. */
const patience_ms = 2_000

/** @param onHung called with a worker that has the lock, lets others wait for it and does not answer */
export function openServices(onHung: (worker: number) => void = () => {}): Services {
  const workers = new Map<number, Held>()
  const limiters = new Map<string, ConcurrencyLimiter>()
  const lock = openWriteLock()
  const watchdog = watchLock(lock, { ping: (worker, id) => workers.get(worker)?.send({ tell: 'ping', id }), onHung })
  const collections = new Map<number, (worker: number, metrics: Metrics) => void>()
  let lastCollection = 0

  const answer = <A extends Question['ask']>(worker: number, id: number, given: Answers[A]) =>
    workers.get(worker)?.send({ tell: 'answer', id, answer: given })

  async function givePlace(worker: number, { id, limiter: name, limits, key }: Extract<FromWorker, { ask: 'place' }>): Promise<void> {
    const limiter = limiters.get(name) ?? concurrencyLimiter(limits)
    limiters.set(name, limiter)
    const place = await limiter.acquire(key)
    if (typeof place === 'string') return void answer(worker, id, place)
    const held = workers.get(worker)
    // It may have died meanwhile.
    if (!held) return place()
    held.grants.set(id, place)
    answer(worker, id, 'granted')
  }

  function giveLock(worker: number, id: number): void {
    // What it said before it died may arrive after the news that it did.
    const held = workers.get(worker)
    held?.grants.set(
      id,
      lock.acquire(worker, () => answer(worker, id, 'granted')),
    )
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
    for (const { send } of workers.values()) send({ tell: 'collect', id: collection })
  }

  return {
    add: (worker, send) => void workers.set(worker, { send, grants: new Map() }),
    handle(worker, message) {
      if ('ask' in message) {
        if (message.ask === 'place') void givePlace(worker, message)
        else if (message.ask === 'lock') giveLock(worker, message.id)
        else if (message.ask === 'metrics') collect(worker, message.id)
      } else if (message.tell === 'release') {
        const grants = workers.get(worker)?.grants
        grants?.get(message.id)?.()
        grants?.delete(message.id)
      } else if (message.tell === 'pong') watchdog.onPong(message.id)
      else if (message.tell === 'metrics') collections.get(message.id)?.(worker, message.metrics)
    },
    remove(worker) {
      const held = workers.get(worker)
      workers.delete(worker)
      for (const release of held?.grants.values() ?? []) release()
    },
  }
}
