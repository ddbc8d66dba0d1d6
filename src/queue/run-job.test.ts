/** Which job is claimed: serial keys and users, with several workers at once. */
import type { Kysely } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { engine } from '../../test/support/database.ts'
import { openForge } from '../../test/support/forge.ts'
import { untilOneWaits } from '../../test/support/locks.ts'
import type { App } from '../app.ts'
import { inTransaction, openDatabase } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { type AnyJob, enqueue, job } from './queue.ts'
import { claim } from './run-job.ts'
import { startWorker } from './worker.ts'

let app: App
let db: Kysely<Tables>

beforeAll(async () => {
  const forge = await openForge()
  app = forge.app
  db = app.db
})

afterEach(() => db.deleteFrom('jobs').execute())

const rows = () => db.selectFrom('jobs').selectAll().where('name', 'like', 'test.%').orderBy('id').execute()
const comeDue = () => db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).execute()
const later = (ms: number) => new Date(Date.now() + ms)

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('jobs of one serial key run one at a time, in order, in whatever slots of however many workers', async () => {
  const location = app.config.database_url ?? `${app.config.home}/gitstead.sqlite`
  const others = [openDatabase(location), openDatabase(location)]
  const running = new Set<string>()
  const heard: string[] = []
  const serial = job<string>('test.serial', {
    lane: 'remote',
    serial: (name) => name.charAt(0),
    async handle(_, name) {
      expect([...running].filter((one) => one.startsWith(name.charAt(0)))).toEqual([])
      running.add(name)
      await turns(3)
      running.delete(name)
      heard.push(name)
    },
  })
  for (let number = 1; number <= 6; number += 1) for (const key of ['a', 'b', 'c']) await enqueue(db, serial, `${key}${number}`)
  const both = others.map((own) => startWorker({ ...app, db: own }, [serial], { isTicking: false }))
  await Promise.all(both.map((worker) => worker.drain()))
  await Promise.all(both.map((worker) => worker.stop()))
  await Promise.all(others.map((own) => own.destroy()))
  for (const key of ['a', 'b', 'c'])
    expect(heard.filter((name) => name.startsWith(key))).toEqual([1, 2, 3, 4, 5, 6].map((number) => `${key}${number}`))
  expect(await rows()).toEqual([])
})

test('keys don’t wait for each other, and claims at the same time get one job of each', async () => {
  const serial = job<string>('test.serial', { serial: (name) => name.charAt(0), handle: async () => {} })
  for (const name of ['a1', 'a2', 'b1', 'b2']) await enqueue(db, serial, name)
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(db, later(1_000), [serial.name])))
  expect(claims.flatMap((row) => (row ? [JSON.parse(row.payload)] : [])).sort()).toEqual(['a1', 'b1'])
})

// On SQLite there is one writer: what is enqueued later is committed later.
test.runIf(engine === 'postgres')('a job of a key that becomes visible late doesn’t run beside one that was claimed before', async () => {
  const serial = job<string>('test.serial', { serial: () => 'key', handle: async () => {} })
  const next = () => claim(db, later(1_000), [serial.name])
  const late = await inTransaction(db, async (tx) => {
    await enqueue(tx, serial, 'enqueued first')
    await enqueue(db, serial, 'committed first')
    let commit = () => {}
    const committed = new Promise<void>((resolve) => {
      commit = resolve
    })
    // A claim that is under way while the other one becomes visible.
    let claimed = (_: string | undefined) => {}
    const first = new Promise<string | undefined>((resolve) => {
      claimed = resolve
    })
    const claiming = inTransaction(db, async (claimer) => {
      claimed((await claim(claimer, later(1_000), [serial.name]))?.payload)
      await committed
    })
    expect(await first).toBe('"committed first"')
    return { commit, claiming }
  })
  const second = next()
  await untilOneWaits(db)
  late.commit()
  await late.claiming
  expect(await second).toBeNull()
  expect(await next()).toBeNull()
  await db.deleteFrom('jobs').where('owner', 'is not', null).execute()
  expect(JSON.parse((await next())?.payload ?? '')).toBe('enqueued first')
})

test('a job of a key that failed holds those behind it until it is dead; one whose lease is over goes first', async () => {
  const heard: string[] = []
  const serial = job<string>('test.serial', {
    attempts: 2,
    serial: () => 'key',
    async handle(_, name) {
      heard.push(name)
      if (name === 'fails') throw new Error('no')
    },
  })
  for (const name of ['fails', 'behind']) await enqueue(db, serial, name)
  const worker = startWorker(app, [serial], { isTicking: false })
  await worker.drain()
  expect(heard).toEqual(['fails'])
  await comeDue()
  await worker.drain()
  await worker.stop()
  expect(heard).toEqual(['fails', 'fails', 'behind'])
  for (const name of ['first', 'second']) await enqueue(db, serial, name)
  expect(JSON.parse((await claim(db, later(1_000), [serial.name]))?.payload ?? '')).toBe('first')
  expect(JSON.parse((await claim(db, later(6 * 60_000), [serial.name]))?.payload ?? '')).toBe('first')
})

test('a user has one job of a lane running at a time, in whatever process, and another in another lane', async () => {
  const [import_, archive] = ['test.import', 'test.archive'].map((name) =>
    job<number>(name, { asker: (user_id) => user_id, handle: async () => {} }),
  ) as [AnyJob, AnyJob]
  for (const user of [1, 1, 2]) await enqueue(db, import_, user)
  await enqueue(db, archive, 1)
  const next = async ({ name }: AnyJob) => (await claim(db, later(1_000), [name]))?.asked_by ?? null
  expect([await next(import_), await next(import_), await next(import_)]).toEqual([1, 2, null])
  expect(await next(archive)).toBe(1)
})
