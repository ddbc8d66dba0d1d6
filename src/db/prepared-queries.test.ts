/** Cached results of prepared queries are never older than the last write. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine, type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { type Db, inTransaction, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { among, keptWith, prepared, rowsByKeptPlan } from './prepared-queries.ts'
import type { Tables } from './tables.ts'

let home: string
let database: FreshDatabase
let db: Kysely<Tables>
let other: Kysely<Tables>
const statements: string[] = []

const routeTo = prepared((db: Db, key: string) => db.selectFrom('routes').select(['path']).where('path_key', '=', key))
const insert = (into: Db, path: string) =>
  into.insertInto('routes').values({ path_key: path, path, namespace_id: null, project_id: null }).execute()
const change = (on: Db, key: string, path: string) => on.updateTable('routes').set({ path }).where('path_key', '=', key).execute()

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-prepared-'))
  database = await freshDatabase(home)
  db = openDatabase(database.location, { onStatement: (statement) => statements.push(statement) })
  other = openDatabase(database.location)
  await migrate(db)
})

afterAll(async () => {
  await db.destroy()
  await other.destroy()
  await database.drop()
  await rm(home, { recursive: true })
})

test('a write of ours is seen by the next read', async () => {
  await insert(db, 'ours')
  expect(await routeTo(db, 'ours')).toEqual([{ path: 'ours' }])
  await change(db, 'ours', 'Ours')
  expect(await routeTo(db, 'ours')).toEqual([{ path: 'Ours' }])
  await db.deleteFrom('routes').where('path_key', '=', 'ours').execute()
  expect(await routeTo(db, 'ours')).toEqual([])
})

test('a write of another process is seen a millisecond later', async () => {
  await insert(other, 'theirs')
  expect(await routeTo(db, 'theirs')).toEqual([{ path: 'theirs' }])
  for (const path of ['Theirs', 'THEIRS', 'theirS']) {
    await change(other, 'theirs', path)
    await new Promise((resolve) => setTimeout(resolve, 2))
    expect(await routeTo(db, 'theirs')).toEqual([{ path }])
  }
})

test('what a transaction wrote and rolled back is never seen', async () => {
  await insert(db, 'kept')
  expect(await routeTo(db, 'kept')).toEqual([{ path: 'kept' }])
  const undone = inTransaction(db, async (tx) => {
    await change(tx, 'kept', 'changed')
    expect(await routeTo(tx, 'kept')).toEqual([{ path: 'changed' }])
    throw new Error('undo')
  })
  await expect(undone).rejects.toThrow('undo')
  expect(await routeTo(db, 'kept')).toEqual([{ path: 'kept' }])
})

test('a cached result is never older than the last write of any process, and a transaction sees its own writes', async () => {
  const keptRoute = prepared((db: Db, key: string) => db.selectFrom('routes').select(['path']).where('path_key', '=', key), undefined, {
    isKept: true,
  })
  expect(await keptRoute(db, 'held')).toEqual([])
  await insert(db, 'held')
  expect(await keptRoute(db, 'held')).toEqual([{ path: 'held' }])
  await change(other, 'held', 'Held')
  await new Promise((resolve) => setTimeout(resolve, 2))
  const [one, two] = [await keptRoute(db, 'held'), await keptRoute(db, 'held')]
  expect([one, two]).toEqual([[{ path: 'Held' }], [{ path: 'Held' }]])
  await inTransaction(db, async (tx) => {
    await change(tx, 'held', 'HELD')
    expect(await keptRoute(tx, 'held')).toEqual([{ path: 'HELD' }])
  })
  expect(await keptRoute(db, 'held')).toEqual([{ path: 'HELD' }])
})

test('arguments that look alike when joined are not taken for each other', async () => {
  const both = prepared((db: Db, one: string, two: string) =>
    db.selectFrom('routes').select(['path']).where('path_key', '=', one).where('path', '=', two),
  )
  await insert(db, 'a')
  expect(await both(db, 'a', 'a')).toEqual([{ path: 'a' }])
  for (const [one, two] of [
    ['a\na', ''],
    ['a,a', ''],
    ['', 'a,a'],
    ['"a","a"', ''],
  ] as const)
    expect(await both(db, one, two)).toEqual([])
})

test.runIf(engine === 'sqlite')('nothing is read twice as long as nothing is written', async () => {
  await insert(db, 'twice')
  await routeTo(db, 'twice')
  statements.length = 0
  const [one, two] = [await routeTo(db, 'twice'), await routeTo(db, 'twice')]
  expect(statements).toEqual([])
  expect(one[0]).toBe(two[0])
})

test('what is made of a row is made once, and again when it failed', async () => {
  const row = {}
  let made = 0
  const make = async () => {
    made += 1
    if (made === 1) throw new Error('not yet')
    return made
  }
  await expect(keptWith(db, row, 'key', make)).rejects.toThrow('not yet')
  expect([await keptWith(db, row, 'key', make), await keptWith(db, row, 'key', make), made]).toEqual([2, 2, 2])
  expect(await keptWith(db, row, 'other', async () => 'other')).toBe('other')
})

test.runIf(engine === 'sqlite')(
  'what is made of a row is made anew after a write to a table that was read for it, and after no other',
  async () => {
    await insert(db, 'made')
    let made = 0
    const messages = prepared((db: Db) => db.selectFrom('broadcast_messages').select('message'))
    const make = async () => {
      await Promise.all([messages(db), db.selectFrom('topics').select('name').execute()])
      made += 1
      return made
    }
    const read = async (key = 'key', work = make) => {
      const [row] = await routeTo(db, 'made')
      return keptWith(db, row as object, key, work)
    }
    const around = () => read('around', () => read())
    await messages(db)
    expect([await around(), await read(), await around()]).toEqual([1, 1, 1])
    await db.insertInto('settings').values({ name: 'kept', value: '1' }).execute()
    expect([await read(), await around()]).toEqual([1, 1])
    await db.insertInto('broadcast_messages').values({ message: 'news', starts_at: '', ends_at: '', created_at: '' }).execute()
    expect([await around(), await read(), await around()]).toEqual([2, 2, 2])
    await db
      .insertInto('topics')
      .values({ name: 'Read', name_key: 'read', title: 'Read', managed: false, created_at: '', updated_at: '' })
      .execute()
    expect([await read(), await around()]).toEqual([3, 3])
    // The value may miss a write during its computation, so it must not be cached past that.
    const beside = () => read('beside', () => db.deleteFrom('topics').execute().then(make))
    expect([await beside(), await beside()]).toEqual([4, 5])
  },
)

test.runIf(engine === 'sqlite')('a read during an open transaction sees neither its writes nor results cached before it', async () => {
  await insert(db, 'during')
  expect(await routeTo(db, 'during')).toEqual([{ path: 'during' }])
  let outside: Promise<unknown> | null = null
  await inTransaction(db, async (tx) => {
    await change(tx, 'during', 'first')
    outside = routeTo(db, 'during')
    expect(await routeTo(tx, 'during')).toEqual([{ path: 'first' }])
    await change(tx, 'during', 'second')
  })
  expect(await outside).toEqual([{ path: 'second' }])
  expect(await routeTo(db, 'during')).toEqual([{ path: 'second' }])
})

test('a list of any length is one value of a prepared query', async () => {
  const among3 = prepared((db: Db, ids: readonly number[]) =>
    db
      .selectFrom('broadcast_messages')
      .select(['message'])
      .where(among(db, 'id', ids)),
  )
  const ids: number[] = []
  for (const message of ['one', 'two', 'three']) {
    const row = { message, starts_at: '', ends_at: '', created_at: '' }
    ids.push((await db.insertInto('broadcast_messages').values(row).returning('id').executeTakeFirstOrThrow()).id)
  }
  expect(await among3(db, [])).toEqual([])
  expect((await among3(db, ids.slice(0, 2))).map(({ message }) => message).sort()).toEqual(['one', 'two'])
  expect(await among3(db, ids)).toHaveLength(3)
})

test.runIf(engine === 'sqlite')('a write to a table that a query does not read does not make it run again', async () => {
  await insert(db, 'apart')
  await routeTo(db, 'apart')
  await db.insertInto('broadcast_messages').values({ message: 'news', starts_at: '', ends_at: '', created_at: '' }).execute()
  statements.length = 0
  await routeTo(db, 'apart')
  expect(statements).toEqual([])
})

test.runIf(engine === 'postgres')('a connection to PostgreSQL plans a prepared query once, unless the URL forbids it', async () => {
  const planned = async (query: string) => {
    const fresh = openDatabase(`${database.location}${query}`)
    try {
      return await inTransaction(fresh, async (tx) => {
        await routeTo(tx, 'ours')
        for (const path of ['a', 'b']) await rowsByKeptPlan(tx, tx.selectFrom('routes').select('project_id').where('path', '=', path))
        await tx.selectFrom('routes').select('namespace_id').where('path', '=', 'a').execute()
        const found = sql<{ statement: string }>`select statement from pg_prepared_statements where name <> '' order by 1`
        return (await found.execute(tx)).rows.map(({ statement }) => statement)
      })
    } finally {
      await fresh.destroy()
    }
  }

  expect(await planned('')).toEqual([
    'select "path" from "routes" where "path_key" = $1',
    'select "project_id" from "routes" where "path" = $1',
  ])
  expect(await planned('?prepared_statements=false')).toEqual([])
})

// On PostgreSQL what other tests write at the same time may end what is kept.
test.runIf(engine === 'sqlite')(
  'all queries of a database together keep no more than their limit: what was not asked for the longest goes first',
  async () => {
    await insert(db, 'of-texts')
    const text = sql<string>`printf('%*c', 700000, 'x')`
    const queries = Array.from({ length: 5 }, (_, index) =>
      prepared(
        (db: Db, key: string) =>
          db
            .selectFrom('routes')
            .select(text.as(`text_${index}`))
            .where('path_key', '!=', key)
            .limit(1),
        () => null,
      ),
    )
    const isAsked = async (query: number, key: string) => {
      const count = () => statements.filter((statement) => statement.includes(`text_${query}`)).length
      const before = count()
      await queries[query]?.(db, key)
      return count() > before
    }
    const read = async (query: number, count: number) => {
      for (let index = 0; index < count; index += 1) await queries[query]?.(db, `other-${index}`)
    }
    // Twenty results are within the limit, thirty are not.
    for (let query = 0; query < 4; query += 1) await read(query, 5)
    expect(await Promise.all([0, 1, 2, 3].map((query) => isAsked(query, 'other-0')))).toEqual([false, false, false, false])
    await read(4, 10)
    const asked = await Promise.all([isAsked(0, 'other-0'), isAsked(4, 'other-9'), isAsked(0, 'other-1')])
    expect(asked).toEqual([false, false, true])
  },
)
