/** Several servers on one database count requests together. */
import { beforeEach, expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import type { Db } from '../../../db/database.ts'
import { requestCounter } from '../../../limits/throttles.ts'
import { sharedCounts } from './shared-counts.ts'

let db: Db
let now_ms: number

beforeEach(async () => {
  db = (await testForge()).app.db
  await db.deleteFrom('request_counts').execute()
  now_ms = 60_000
})

function openServer(name: string, local = requestCounter(() => now_ms)) {
  const { counter, sync } = sharedCounts(db, name, local, () => now_ms)
  const above = (max: number) => counter.above('unauthenticated', { max, period_s: 60 })
  return { count: (key: string) => counter.count('unauthenticated', key, 60), above, sync, local }
}

test('a server counts what others have told, and each client by itself', async () => {
  const [one, other] = [openServer('one'), openServer('other')]
  for (const _ of [1, 2, 3]) await one.count('a')
  await one.sync()
  expect(await other.count('a')).toBe(1)
  await other.sync()
  expect([await other.count('a'), await other.count('b')]).toEqual([5, 1])
  await one.count('a')
  await one.sync()
  // Two of the other's: the second has not been told yet.
  expect(await one.count('a')).toBe(6)
  for (const server of [one, other]) expect([await server.above(4), await server.above(5)]).toEqual([[{ key: 'a', count: 5 }], []])
})

test('the counts of processes of one server, which count together, are not added up', async () => {
  const first = openServer('one')
  const second = openServer('one', first.local)
  await first.count('a')
  await second.count('a')
  await Promise.all([second.sync(), first.sync()])
  expect(await db.selectFrom('request_counts').select('count').execute()).toEqual([{ count: 2 }])
  expect(await second.count('a')).toBe(3)
})

test('with the window its counts end, and their rows', async () => {
  const [one, other] = [openServer('one'), openServer('other')]
  await one.count('a')
  await one.sync()
  await other.count('a')
  await other.sync()
  now_ms = 120_000
  expect(await other.count('a')).toBe(1)
  await other.sync()
  expect(await db.selectFrom('request_counts').select(['server', 'ends_s']).execute()).toEqual([{ server: 'other', ends_s: 180 }])
})

test('a server that nobody asks writes nothing', async () => {
  await openServer('one').sync()
  expect(await db.selectFrom('request_counts').selectAll().execute()).toEqual([])
})
