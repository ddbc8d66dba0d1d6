/** The primary holds slots and a lock for its workers, and frees them when a worker dies. */
import { afterEach, expect, test, vi } from 'vitest'
import type { Metrics, ToWorker } from './protocol.ts'
import { openServices, type Services } from './services.ts'

afterEach(() => vi.useRealTimers())

const limits = { perKey: 2, total: 3 }

/** A worker that keeps what it is received. */
function addWorker(services: Services, worker: number) {
  const received: ToWorker[] = []
  services.add(worker, (message) => received.push(message))
  return {
    received,
    answers: () => received.flatMap((message) => (message.notify === 'answer' ? [[message.id, message.answer]] : [])),
    slot: (id: number, key: string) => services.handle(worker, { request: 'slot', limiter: 'a', limits, key, id }),
    lock: (id: number) => services.handle(worker, { request: 'lock', id }),
    count: (id: number, key: string) => services.handle(worker, { request: 'count', name: 'search', key, period_s: 1_000_000, id }),
    above: (id: number, max: number) =>
      services.handle(worker, { request: 'above', name: 'search', rule: { max, period_s: 1_000_000 }, id }),
    release: (id: number) => services.handle(worker, { notify: 'release', id }),
  }
}

test('slots are counted over all workers, and those of a dead one are freed', async () => {
  const services = openServices()
  const [one, other] = [addWorker(services, 1), addWorker(services, 2)]
  one.slot(1, 'x')
  other.slot(1, 'x')
  one.slot(2, 'x')
  other.slot(2, 'y')
  one.slot(3, 'z')
  await expect.poll(() => one.answers().length + other.answers().length).toBe(5)
  expect(one.answers()).toEqual([
    [1, 'granted'],
    [2, 'key'],
    [3, 'all'],
  ])
  expect(other.answers()).toEqual([
    [1, 'granted'],
    [2, 'granted'],
  ])
  services.remove(2)
  one.slot(4, 'x')
  one.slot(5, 'z')
  one.slot(6, 'z')
  await expect
    .poll(() => one.answers().slice(3))
    .toEqual([
      [4, 'granted'],
      [5, 'granted'],
      [6, 'all'],
    ])
  one.release(1)
  one.release(1)
  one.slot(7, 'z')
  one.slot(8, 'y')
  await expect
    .poll(() => one.answers().slice(6))
    .toEqual([
      [7, 'granted'],
      [8, 'all'],
    ])
})

test('the lock is granted in order, whichever worker dies meanwhile', () => {
  const services = openServices()
  const [one, two, three] = [addWorker(services, 1), addWorker(services, 2), addWorker(services, 3)]
  const granted = () => [one, two, three].map((worker) => worker.answers().map(([id]) => id))
  one.lock(1)
  two.lock(1)
  three.lock(1)
  one.lock(2)
  expect(granted()).toEqual([[1], [], []])
  // One that waits dies; then the one that has it.
  services.remove(2)
  expect(granted()).toEqual([[1], [], []])
  one.release(1)
  expect(granted()).toEqual([[1], [], [1]])
  services.remove(3)
  expect(granted()).toEqual([[1, 2], [], [1]])
  // Messages of a dead worker may arrive late, and must not free what another one holds.
  three.lock(2)
  one.release(2)
  one.lock(3)
  expect(granted()).toEqual([[1, 2, 3], [], [1]])
})

test('metrics are collected of all workers, and without one that dies before it answers', async () => {
  const services = openServices()
  const [one, other] = [addWorker(services, 1), addWorker(services, 2)]
  const metrics = (name: string) => [{ name }] as unknown as Metrics
  services.handle(1, { request: 'metrics', id: 9 })
  const [pending] = other.received
  if (pending?.notify !== 'collect') throw new Error('it was not pending')
  services.handle(2, { notify: 'metrics', id: pending.id, metrics: metrics('b') })
  expect(one.answers()).toEqual([])
  services.handle(1, { notify: 'metrics', id: pending.id, metrics: metrics('a') })
  expect(one.answers()).toEqual([[9, [metrics('b'), metrics('a')]]])

  services.handle(1, { request: 'metrics', id: 10 })
  services.handle(1, { notify: 'metrics', id: pending.id + 1, metrics: metrics('a') })
  services.remove(2)
  await expect.poll(() => one.answers()[1]).toEqual([10, [metrics('a')]])
})

/** A worker that has the lock and one that waits for it; whom the watchdog found to hang. */
function contention() {
  vi.useFakeTimers()
  const hung: number[] = []
  const cpu = { ms: 0 }
  const services = openServices({ onHung: (worker) => hung.push(worker), usedCpu_ms: () => cpu.ms })
  const [holder, waiting] = [addWorker(services, 1), addWorker(services, 2)]
  holder.lock(1)
  const pings = () => holder.received.flatMap((message) => (message.notify === 'ping' ? [message.id] : []))
  return { services, hung, holder, waiting, pings, cpu }
}

test('a worker that keeps others waiting for the lock and answers no ping hangs', async () => {
  const { services, hung, holder, waiting, pings } = contention()
  await vi.advanceTimersByTimeAsync(60_000)
  // Nobody waits.
  expect(pings()).toEqual([])
  waiting.lock(1)
  await vi.advanceTimersByTimeAsync(9_000)
  expect([pings().length, hung]).toEqual([1, []])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(hung).toEqual([1])
  services.remove(1)
  expect(waiting.answers()).toEqual([[1, 'granted']])
  // The next one has time of its own.
  holder.lock(2)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(hung).toEqual([1])
})

test('a worker that answers is not hung, however long it takes', async () => {
  const { services, hung, waiting, pings } = contention()
  waiting.lock(1)
  for (let second = 0; second < 60; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    const last = pings().at(-1)
    if (last !== undefined) services.handle(1, { notify: 'pong', id: last })
  }
  expect(pings().length).toBeGreaterThan(10)
  expect(hung).toEqual([])
})

test('a worker that releases the lock in time is not pinged', async () => {
  const { hung, holder, waiting, pings } = contention()
  waiting.lock(1)
  for (let id = 1; id < 10; id += 1) {
    await vi.advanceTimersByTimeAsync(4_000)
    holder.lock(id + 1)
    holder.release(id)
    waiting.release(id)
    waiting.lock(id + 1)
  }
  expect([pings(), hung]).toEqual([[], []])
})

test('a worker that is busy without answering has ten minutes', async () => {
  const { hung, waiting, pings, cpu } = contention()
  waiting.lock(1)
  for (let second = 0; second < 9 * 60; second += 1) {
    cpu.ms += 100
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect([pings().length, hung]).toEqual([1, []])
  for (let second = 0; second < 2 * 60; second += 1) {
    cpu.ms += 100
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(hung).toEqual([1])
})

test('a worker that stops using processor time hangs', async () => {
  const { hung, waiting, cpu } = contention()
  waiting.lock(1)
  for (let second = 0; second < 60; second += 1) {
    cpu.ms += 100
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(hung).toEqual([])
  await vi.advanceTimersByTimeAsync(25_000)
  expect(hung).toEqual([1])
})

test('requests are counted over all workers', async () => {
  const services = openServices()
  const [one, other] = [addWorker(services, 1), addWorker(services, 2)]
  const count = (worker: number, id: number, key: string) =>
    services.handle(worker, { request: 'count', name: 'unauthenticated', key, period_s: 3_600, id })
  count(1, 1, 'a')
  count(2, 1, 'a')
  count(1, 2, 'b')
  count(1, 3, 'a')
  await expect
    .poll(() => [one.answers(), other.answers()])
    .toEqual([
      [
        [1, 1],
        [2, 1],
        [3, 3],
      ],
      [[1, 2]],
    ])
})

test('each worker sees who is beyond a limit by the requests to all of them', async () => {
  const services = openServices()
  const [one, other] = [addWorker(services, 1), addWorker(services, 2)]
  one.count(1, 'a')
  other.count(1, 'a')
  other.count(2, 'b')
  one.above(2, 1)
  await expect.poll(() => one.answers().slice(1)).toEqual([[2, [{ key: 'a', count: 2 }]]])
})
