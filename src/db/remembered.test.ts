/** What is remembered of lists is never older than the last write, whoever wrote. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { type Db, inTransaction, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { pageById, totalOf } from './remembered.ts'
import type { Tables } from './tables.ts'

let home: string
let database: FreshDatabase
let db: Kysely<Tables>
let other: Kysely<Tables>
const statements: string[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-remembered-'))
  database = await freshDatabase(home)
  db = openDatabase(database.location, { onStatement: (statement) => statements.push(statement) })
  other = openDatabase(database.location)
  await migrate(db)
})

afterAll(async () => {
  await db.destroy()
  await other.destroy()
  await database.drop()
  await rm(home, { recursive: true, force: true })
})

const message = { starts_at: '', ends_at: '', created_at: '' }
const add = (on: Db, text: string) =>
  on
    .insertInto('broadcast_messages')
    .values({ ...message, message: text })
    .execute()
const all = (on: Db) => on.selectFrom('broadcast_messages')
const pageOn = (on: Db) =>
  pageById(on, all(on).select('id').orderBy('message', 'desc').orderBy('id'), { limit: 2, offset: 0 }, (ids) =>
    all(on).select(['id', 'message']).where('id', 'in', ids),
  )
/** The total, and the first two in order. */
const read = async (on: Db) => [await totalOf(on, all(on)), (await pageOn(on)).map(({ message }) => message)]

test('what was written is read at once, whether here, elsewhere, or in a transaction that has just ended', async () => {
  expect(await read(db)).toEqual([0, []])
  await add(db, 'b')
  expect(await read(db)).toEqual([1, ['b']])
  await inTransaction(db, async (tx) => {
    await add(tx, 'c')
    expect(await read(tx)).toEqual([2, ['c', 'b']])
  })
  expect(await read(db)).toEqual([2, ['c', 'b']])
  await add(other, 'd')
  // Writes of another process on an embedded database are seen within a millisecond.
  await expect.poll(() => read(db)).toEqual([3, ['d', 'c']])
  await db.updateTable('broadcast_messages').set({ message: 'a' }).where('message', '=', 'd').execute()
  expect(await read(db)).toEqual([3, ['c', 'b']])
  await db.deleteFrom('broadcast_messages').where('message', '=', 'a').execute()
  expect(await read(db)).toEqual([2, ['c', 'b']])
})

test('what was undone was never there', async () => {
  const before = await read(db)
  const undone = inTransaction(db, async (tx) => {
    await add(tx, 'z')
    expect((await read(tx))[0]).toBe(3)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await read(db)).toEqual(before)
})

test('a total that is read while others write is never that of before a write which has ended', async () => {
  const counts: Array<[least: number, counted: number]> = []
  let written = (await read(db))[0] as number
  await Promise.all([
    (async () => {
      for (let number = 0; number < 20; number += 1) {
        await add(db, 'x')
        written += 1
      }
    })(),
    ...Array.from({ length: 4 }, async () => {
      for (let number = 0; number < 20; number += 1) {
        const least = written
        counts.push([least, await totalOf(db, all(db))])
      }
    }),
  ])
  expect(counts.filter(([least, counted]) => counted < least)).toEqual([])
  expect(await totalOf(db, all(db))).toBe(written)
})

test('other values of the same query have answers of their own', async () => {
  const called = (name: string) => totalOf(db, all(db).where('message', '=', name))
  expect([await called('b'), await called('nothing'), await called('b'), await called('nothing')]).toEqual([1, 0, 1, 0])
})

test('as long as nothing is written a total costs one statement at most, and the rows of a page one more', async () => {
  await read(db)
  const before = statements.length
  await totalOf(db, all(db))
  expect(statements.length - before).toBeLessThanOrEqual(1)
  await pageOn(db)
  expect(statements.length - before).toBeLessThanOrEqual(3)
})
