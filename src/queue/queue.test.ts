import { execFile } from 'node:child_process'
import type { Kysely } from 'kysely'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { engine } from '../../test/support/database.ts'
import { openForge } from '../../test/support/forge.ts'
import { anonymous } from '../access/principals.ts'
import type { App } from '../app.ts'
import { inTransaction, openDatabase } from '../db/database.ts'
import type { Job as JobRow, Tables } from '../db/tables.ts'
import { currentOrigin, originOf, withOrigin } from '../domain-events/origin.ts'
import { databaseUnavailable } from '../failure.ts'
import { thisProcess } from '../program/process-identity.ts'
import { releaseOrphans } from './orphans.ts'
import { type AnyJob, enqueue, job, onEnqueued } from './queue.ts'
import { claim } from './run-job.ts'
import { startWorker, type Worker } from './worker.ts'

let app: App
let db: Kysely<Tables>
const workers: Worker[] = []

beforeAll(async () => {
  const forge = await openForge()
  app = forge.app
  db = app.db
})

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await db.deleteFrom('jobs').execute()
})

/** A worker of these jobs; it has looked once when this returns. */
async function work(...jobs: AnyJob[]): Promise<Worker> {
  const worker = startWorker(app, jobs)
  workers.push(worker)
  await worker.drain()
  return worker
}

const rows = (): Promise<JobRow[]> => db.selectFrom('jobs').selectAll().where('name', 'like', 'test.%').orderBy('id').execute()

/** Makes whatever waits due, as if its time had come. */
const comeDue = () => db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).execute()

const later = (ms: number) => new Date(Date.now() + ms)

test('a job runs with its payload and is gone', async () => {
  const heard: unknown[] = []
  const hear = job<{ project_id: number }>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, hear, { project_id: 7 })
  await work(hear)
  expect([heard, await rows()]).toEqual([[{ project_id: 7 }], []])
})

test('a worker that looks soon runs what this process enqueues without a tick, once its transaction has ended', async () => {
  const heard: number[] = []
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const worker = startWorker(app, [hear], { looksSoon: true })
  workers.push(worker)
  await worker.drain()
  await inTransaction(db, (tx) => enqueue(tx, hear, 1))
  await expect.poll(() => heard).toEqual([1])
})

test('a job is not in the name of the request that enqueued it', async () => {
  const origins: unknown[] = []
  const hear = job<number>('test.hear', { handle: async () => void origins.push(currentOrigin()) })
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const worker = startWorker(app, [hear], { looksSoon: true })
  workers.push(worker)
  await worker.drain()
  await withOrigin(originOf(anonymous, '192.0.2.1'), () => inTransaction(db, (tx) => enqueue(tx, hear, 1)))
  await expect.poll(() => origins).toEqual([null])
})

test('a job is announced with its lane when it is committed, and never if it is not', async () => {
  const hear = job<number>('test.hear', { lane: 'webhooks', handle: async () => {} })
  const announced: string[] = []
  onTestFinished(onEnqueued((lane) => void announced.push(lane)))
  await inTransaction(db, async (tx) => {
    await enqueue(tx, hear, 1)
    expect(announced).toEqual([])
  })
  expect(announced).toEqual(['webhooks'])
  await expect(
    inTransaction(db, async (tx) => {
      await enqueue(tx, hear, 2)
      throw new Error('undone')
    }),
  ).rejects.toThrow('undone')
  await enqueue(db, hear, 3, { delay_ms: 60_000 })
  expect(announced).toEqual(['webhooks'])
  await enqueue(db, hear, 4)
  expect(announced).toEqual(['webhooks', 'webhooks'])
})

test('a job that is committed while its slot looks is not left to the next tick', async () => {
  const heard: number[] = []
  const slow = job<number>('test.slow', {
    async handle(_, payload) {
      heard.push(payload)
      if (payload > 1) return
      await enqueue(db, slow, 2)
      // Longer than those that are committed together are gathered.
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
  })
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const worker = startWorker(app, [slow], { looksSoon: true })
  workers.push(worker)
  await worker.drain()
  await inTransaction(db, (tx) => enqueue(tx, slow, 1))
  await expect.poll(() => heard).toEqual([1, 2])
})

test('jobs run in the order they came due', async () => {
  const heard: number[] = []
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, hear, 1)
  await enqueue(db, hear, 2)
  await enqueue(db, hear, 0, { delay_ms: -60_000 })
  await work(hear)
  expect(heard).toEqual([0, 1, 2])
})

test('a worker whose job was taken over leaves it to the other', async () => {
  const slow = job<number>('test.slow', {
    async handle() {
      await db
        .updateTable('jobs')
        .set({ attempts: 2, run_at: later(60_000).toISOString() })
        .where('name', '=', 'test.slow')
        .execute()
      throw new Error('too late')
    },
  })
  await enqueue(db, slow, 1)
  await work(slow)

  const [row] = await rows()
  expect([row?.attempts, row?.state, row?.last_error]).toEqual([2, 'ready', null])
})

test('a job enqueued in a transaction exists once it is committed, and not if it is rolled back', async () => {
  const quiet = job<number>('test.quiet', { handle: async () => {} })
  await inTransaction(db, async (tx) => {
    await enqueue(tx, quiet, 1)
    throw new Error('no')
  }).catch(() => {})
  expect(await rows()).toEqual([])
  await inTransaction(db, (tx) => enqueue(tx, quiet, 2))
  expect((await rows()).map(({ payload }) => payload)).toEqual(['2'])
})

test('a job waits for its time', async () => {
  const heard: number[] = []
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, hear, 1, { delay_ms: 60_000 })
  const worker = await work(hear)
  expect(heard).toEqual([])
  await comeDue()
  await worker.drain()
  expect(heard).toEqual([1])
})

test('a job that fails is tried again after 15 s, 30 s, a minute, and is dead after its attempts', async () => {
  let tries = 0
  const fail = job<null>('test.fail', {
    attempts: 4,
    async handle() {
      tries += 1
      throw new Error(`failure ${tries}`)
    },
  })
  await enqueue(db, fail, null)
  const worker = await work(fail)
  const delays: number[] = []
  for (let round = 1; round < 4; round += 1) {
    const [row] = await rows()
    expect(row).toMatchObject({ state: 'ready', attempts: round, last_error: `Error: failure ${round}` })
    delays.push(Math.round((Date.parse((row as JobRow).run_at) - Date.now()) / 5_000) * 5)
    await worker.drain()
    expect(tries).toBe(round)
    await comeDue()
    await worker.drain()
  }
  expect(delays).toEqual([15, 30, 60])
  expect(await rows()).toMatchObject([{ state: 'dead', attempts: 4, last_error: 'Error: failure 4' }])
  await comeDue()
  await worker.drain()
  expect(tries).toBe(4)
})

test('a dead job that an administrator sets ready again runs again', async () => {
  let broken = true
  const heal = job<null>('test.heal', {
    attempts: 1,
    async handle() {
      if (broken) throw new Error('broken')
    },
  })
  await enqueue(db, heal, null)
  const worker = await work(heal)
  expect(await rows()).toMatchObject([{ state: 'dead' }])
  broken = false
  await db.updateTable('jobs').set({ state: 'ready', attempts: 0, run_at: '2000-01-01T00:00:00.000Z' }).execute()
  await worker.drain()
  expect(await rows()).toEqual([])
})

test('a failing job doesn’t delay others', async () => {
  const heard: number[] = []
  const fail = job<null>('test.fail', { handle: () => Promise.reject(new Error('no')) })
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, fail, null)
  await enqueue(db, hear, 1)
  await work(fail, hear)
  expect(heard).toEqual([1])
})

test('an unknown kind of job waits for a process that knows it', async () => {
  const heard: number[] = []
  const newer = job<number>('test.newer', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, newer, 1)
  await work(job<null>('test.other', { handle: async () => {} }))
  expect(await rows()).toMatchObject([{ state: 'ready', attempts: 0 }])
  await work(newer)
  expect(heard).toEqual([1])
})

test('a key allows one waiting job, besides one that runs', async () => {
  const heard: number[] = []
  const measure = job<number>('test.measure', {
    async handle(app, payload) {
      heard.push(payload)
      if (payload === 1) await enqueue(app.db, measure, 3, { unique_key: 'measure 7' })
    },
  })
  await enqueue(db, measure, 1, { unique_key: 'measure 7' })
  await enqueue(db, measure, 2, { unique_key: 'measure 7' })
  await enqueue(db, measure, 9, { unique_key: 'measure 8' })
  expect((await rows()).length).toBe(2)
  await work(measure)
  expect(heard).toEqual([1, 9, 3])
})

// On SQLite there is one writer: whoever wants to claim waits for the end of the transaction.
test.runIf(engine === 'postgres')(
  'a job whose key a transaction enqueues again is not claimed before that is committed, and sees what it wrote',
  async () => {
    const witness = job<null>('test.witness', { handle: async () => {} })
    const seen: number[] = []
    const count = job<null>('test.count', {
      handle: async () => void seen.push((await rows()).filter(({ name }) => name === witness.name).length),
    })
    await enqueue(db, count, null, { unique_key: 'one' })

    const worker = await inTransaction(db, async (tx) => {
      await enqueue(tx, witness, null)
      await enqueue(tx, count, null, { unique_key: 'one' })
      // On a connection of its own, as every worker.
      expect(await claim(db, later(1_000), [count.name])).toBeNull()
      const worker = await work(count)
      expect(seen).toEqual([])
      return worker
    })
    await worker.drain()

    expect(seen).toEqual([1])
  },
)

test('a dead job doesn’t hold its key', async () => {
  const fail = job<number>('test.fail', { attempts: 1, handle: () => Promise.reject(new Error('no')) })
  await enqueue(db, fail, 1, { unique_key: 'same' })
  const worker = await work(fail)
  await enqueue(db, fail, 2, { unique_key: 'same' })
  await worker.drain()
  expect((await rows()).map(({ state, payload }) => [state, payload])).toEqual([
    ['dead', '1'],
    ['dead', '2'],
  ])
})

test('a schedule exists once however many workers start, and repeats after each run, failed or not', async () => {
  let runs = 0
  const prune = job<object>('test.prune', {
    attempts: 1,
    every_ms: 3_600_000,
    async handle() {
      runs += 1
      if (runs === 2) throw new Error('no')
    },
  })
  const worker = await work(prune)
  await work(prune)
  const waiting = async () => (await rows()).filter(({ state }) => state === 'ready')
  for (const round of [1, 2, 3]) {
    const [row, ...more] = await waiting()
    expect([round, more]).toEqual([round, []])
    expect(Math.abs(Date.parse((row as JobRow).run_at) - later(3_600_000).getTime())).toBeLessThan(60_000)
    await db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('state', '=', 'ready').execute()
    await worker.drain()
    expect(runs).toBe(round)
  }
  expect((await waiting()).length).toBe(1)
})

test('a claimed job is nobody else’s until its lease ends, and then it comes back', async () => {
  await enqueue(db, job<null>('test.crash', { handle: async () => {} }), null)
  const now = later(1_000)
  expect(await claim(db, now, ['test.crash'])).toMatchObject({ name: 'test.crash', attempts: 1 })
  expect(await claim(db, now, ['test.crash'])).toBeNull()
  expect(await claim(db, new Date(now.getTime() + 4 * 60_000), ['test.crash'])).toBeNull()
  expect(await claim(db, new Date(now.getTime() + 6 * 60_000), ['test.crash'])).toMatchObject({ name: 'test.crash', attempts: 2 })
})

/** A process that worked on the queue and is no more. */
const gone = thisProcess.split(' ').with(4, '99999999').join(' ')
const elsewhere = `elsewhere - c0ffee - 1 1 nonce`
const heldBy = (owner: string) => db.updateTable('jobs').set({ owner }).where('name', 'like', 'test.%').execute()

test('a job of a process that died is taken over at the start of the next, not after its lease', async () => {
  const heard: number[] = []
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  await enqueue(db, hear, 1)
  await claim(db, later(1_000), ['test.hear'])
  await heldBy(gone)
  await work(hear)
  expect([heard, await rows()]).toEqual([[1], []])
})

test('a job of a living or unknown process is left to it', async () => {
  for (const owner of [thisProcess, elsewhere]) {
    await enqueue(db, job<number>('test.held', { handle: async () => {} }), 1)
    const claimed = await claim(db, later(1_000), ['test.held'])
    expect(claimed?.owner).toBe(thisProcess)
    await heldBy(owner)
    expect(await releaseOrphans(db)).toEqual([])
    expect(await rows()).toMatchObject([{ owner, run_at: claimed?.run_at }])
    await db.deleteFrom('jobs').execute()
  }
})

test('a job whose process is gone counts an attempt, as when its lease ends, and waits longer each time', async () => {
  const crash = job<null>('test.crash', { handle: async () => {} })
  await enqueue(db, crash, null)
  const waits: number[] = []
  for (const attempts of [1, 2, 3]) {
    await comeDue()
    await claim(db, new Date(), ['test.crash'])
    await heldBy(gone)
    expect(await releaseOrphans(db)).toEqual(['test.crash'])
    const [row] = await rows()
    expect(row).toMatchObject({ attempts, owner: null, state: 'ready' })
    waits.push(Math.max(0, Math.round((Date.parse((row as JobRow).run_at) - Date.now()) / 5_000) * 5))
  }
  expect(waits).toEqual([0, 15, 30])
  // Several processes look at once, and exactly one may release the job.
  await comeDue()
  await claim(db, new Date(), ['test.crash'])
  await heldBy(gone)
  const released = await Promise.all([releaseOrphans(db), releaseOrphans(db), releaseOrphans(db)])
  expect(released.flat()).toEqual(['test.crash'])
})

test('the outcome of a job is written once the database accepts writes again', async () => {
  const heard: number[] = []
  let refusals = 0
  const hear = job<number>('test.hear', { handle: async (_, payload) => void heard.push(payload) })
  const refusing = new Proxy(db, {
    get(target, name) {
      if (name === 'deleteFrom' && refusals < 2) {
        refusals += 1
        throw databaseUnavailable(new Error('away'))
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await enqueue(db, hear, 1)
  const worker = startWorker({ ...app, db: refusing }, [hear])
  workers.push(worker)
  await worker.drain()
  expect([heard, refusals, await rows()]).toEqual([[1], 2, []])
})

test('a job that kills its worker each time is dead in the end', async () => {
  const crash = job<null>('test.crash', { attempts: 2, handle: async () => {} })
  await enqueue(db, crash, null)
  for (const _ of [1, 2, 3]) {
    await comeDue()
    await claim(db, new Date(), ['test.crash'])
  }
  await comeDue()
  let ran = false
  const handle = async () => {
    ran = true
  }
  await work({ ...crash, handle })
  expect(ran).toBe(false)
  expect(await rows()).toMatchObject([{ state: 'dead' }])
})

test('workers on connections of their own share 50 jobs and run each once', async () => {
  const location = app.config.database_url ?? `${app.config.home}/gitstead.sqlite`
  const others = [openDatabase(location), openDatabase(location)]
  const heard: number[] = []
  const hear = job<number>('test.hear', {
    async handle(_, payload) {
      await new Promise((resolve) => setImmediate(resolve))
      heard.push(payload)
    },
  })
  for (let index = 0; index < 50; index += 1) await enqueue(db, hear, index)
  const both = others.map((own) => startWorker({ ...app, db: own }, [hear]))
  await Promise.all(both.map((worker) => worker.drain()))
  await Promise.all(both.map((worker) => worker.stop()))
  await Promise.all(others.map((own) => own.destroy()))
  expect(heard.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index))
  expect(await rows()).toEqual([])
})

test('a worker that is told to stop finishes the job under way and begins no other', async () => {
  const heard: string[] = []
  let begun = () => {}
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slow = job<number>('test.slow', {
    async handle(_, payload) {
      begun()
      await new Promise((resolve) => execFile(process.execPath, ['-e', ''], resolve))
      heard.push(`done ${payload}`)
    },
  })
  await enqueue(db, slow, 1)
  await enqueue(db, slow, 2)
  const worker = startWorker(app, [slow])
  void worker.drain()
  await running
  await worker.stop()
  expect(heard).toEqual(['done 1'])
  expect((await rows()).map(({ payload }) => payload)).toEqual(['2'])
})

test('slow work has a lane of its own: quick work does not wait for it', async () => {
  const heard: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = job<null>('test.slow', {
    lane: 'slow',
    async handle() {
      heard.push('slow begins')
      await held
      heard.push('slow ends')
    },
  })
  const quick = job<null>('test.quick', {
    async handle() {
      heard.push('quick')
      release()
    },
  })
  await enqueue(db, slow, null)
  await enqueue(db, quick, null)
  await work(slow, quick)
  expect(heard.indexOf('slow ends')).toBeGreaterThan(heard.indexOf('quick'))
  expect(await rows()).toEqual([])
})

test('jobs that wait for a remote host leave three slots to others', async () => {
  let waiting = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const remote = job<null>('test.remote', {
    lane: 'remote',
    async handle() {
      waiting += 1
      if (waiting === 4) release()
      await held
    },
  })
  for (let count = 0; count < 6; count += 1) await enqueue(db, remote, null)
  await work(remote)
  expect([waiting, await rows()]).toEqual([6, []])
})

test('one owner’s many jobs run one at a time, and others don’t wait for them', async () => {
  const heard: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const remote = job<string>('test.remote', {
    lane: 'remote',
    async handle(_, name) {
      heard.push(name)
      if (name === 'other') release()
      if (name.startsWith('greedy')) await held
    },
  })
  for (let count = 0; count < 6; count += 1) await enqueue(db, remote, `greedy ${count}`, { asked_by: 1 })
  await enqueue(db, remote, 'other', { asked_by: 2 })
  await work(remote)
  expect(heard.slice(0, 2)).toEqual(['greedy 0', 'other'])
  expect([heard.length, await rows()]).toEqual([7, []])
})

test('long work that ends because its worker stops has not failed: the next worker goes on with it at once', async () => {
  let begun = () => {}
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const long = job<null>('test.long', {
    attempts: 1,
    handle(_, __, stopping) {
      begun()
      return new Promise((_, reject) => stopping?.addEventListener('abort', () => reject(new Error('stopped'))))
    },
  })
  await enqueue(db, long, null)
  const worker = startWorker(app, [long])
  await running
  await worker.stop()
  expect(await rows()).toMatchObject([{ state: 'ready', attempts: 0, last_error: null }])
  const finished: unknown[] = []
  await work({ ...long, handle: async (_, payload) => void finished.push(payload) })
  expect([finished, await rows()]).toEqual([[null], []])
})
