/** Writers of an SQLite file wait for one another outside of SQLite. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine } from '../../test/support/database.ts'
import { inTransaction, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { localLock } from './sqlite-driver.ts'
import type { Tables } from './tables.ts'

let home: string
let file: string
let db: Kysely<Tables>

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-driver-'))
  file = join(home, 'gitstead.sqlite')
  db = openDatabase(file)
  await migrate(db)
})

afterAll(async () => {
  await db.destroy()
  await rm(home, { recursive: true, force: true })
})

const add = (message: string, on: Kysely<Tables> = db) =>
  on.insertInto('broadcast_messages').values({ message, starts_at: '', ends_at: '', created_at: '' }).execute()
const messages = async (on: Kysely<Tables> = db) =>
  (await on.selectFrom('broadcast_messages').select('message').orderBy('id').execute()).map(({ message }) => message)

test.runIf(engine === 'sqlite')('while another process writes, reads are answered, the event loop goes on, and writes wait', async () => {
  const other = new BetterSqlite3(file)
  other.exec('begin immediate')
  let done = 0
  const count = () => {
    done += 1
  }
  const writes = [
    add('single').then(count),
    inTransaction(db, async (tx) => {
      await tx.insertInto('broadcast_messages').values({ message: 'transaction', starts_at: '', ends_at: '', created_at: '' }).execute()
    }).then(count),
  ]
  // Each attempt to write holds the event loop for 20 ms at most: were it held until the other is done, this would never end.
  const until = Date.now() + 500
  for (let turns = 0; turns < 25 || Date.now() < until; turns += 1) {
    expect(await messages()).toEqual([])
    await setImmediate()
  }
  expect(done).toBe(0)
  other.exec('commit')
  await Promise.all(writes)
  expect(await messages()).toEqual(['single', 'transaction'])
  other.close()
})

test.runIf(engine === 'sqlite')('a read outside of a transaction sees nothing of it until it is over', async () => {
  const before = await messages()
  let seen: Promise<string[]> | null = null
  await inTransaction(db, async (tx) => {
    await add('open', tx)
    seen = messages()
    await setTimeout(20)
    await tx.deleteFrom('broadcast_messages').where('message', '=', 'open').execute()
    await add('over', tx)
  })
  expect(await seen).toEqual([...before, 'over'])
})

test.runIf(engine === 'sqlite')('several processes with one lock write without ever finding the file taken', async () => {
  const lockWrites = localLock()
  let busy = 0
  const open = () => openDatabase(file, { lockWrites: () => lockWrites().then((unlock) => () => unlock()) })
  const [one, other] = [open(), open()]
  const before = (await messages()).length
  const count = (error: unknown) => {
    busy += 1
    throw error
  }
  await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      inTransaction(number % 2 ? one : other, async (tx) => {
        await add(`locked ${number}`, tx)
        // Not what a transaction of ours does; here it makes sure that others come meanwhile.
        await setImmediate()
      }).catch(count),
    ),
  )
  expect([busy, (await messages(one)).length]).toEqual([0, before + 40])
  await Promise.all([one.destroy(), other.destroy()])
})

test.runIf(engine === 'sqlite')(
  'a transaction of many statements lets the event loop go on; readers see it whole or not at all',
  async () => {
    const before = (await messages()).length
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    let seen: number[] = []
    const count = 400
    await inTransaction(db, async (tx) => {
      const reading = (async () => {
        for (let round = 0; round < 3; round += 1) seen = [...seen, (await messages()).length]
      })()
      reading.catch(() => {})
      for (let number = 0; number < count; number += 1) {
        await tx.insertInto('broadcast_messages').values({ message: 'many', starts_at: '', ends_at: '', created_at: '' }).execute()
        // A statement of two milliseconds.
        for (const until = performance.now() + 2; performance.now() < until; );
      }
    })
    clearInterval(timer)
    await expect.poll(() => seen.length).toBe(3)
    expect(turns).toBeGreaterThan(5)
    expect(seen).toEqual([before + count, before + count, before + count])
  },
)
