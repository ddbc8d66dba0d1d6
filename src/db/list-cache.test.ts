/** Cached lists are never older than the last write, whoever wrote. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine, type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { numbers } from '../../test/support/fixtures/numbers.ts'
import { countTodos } from '../features/discussion/todos/todos.ts'
import { readMeter } from '../limits/read-meter.ts'
import { type Db, inTransaction, metered, openDatabase } from './database.ts'
import { cachedRows, pageById, totalOf, totalOfGrowing } from './list-cache.ts'
import { migrate } from './migrate.ts'
import { prepared } from './prepared-queries.ts'
import { atOneMoment, stateOf } from './snapshot-id.ts'
import type { Tables } from './tables.ts'
import { countersIn } from './write-counters.ts'

let home: string
let database: FreshDatabase
let db: Kysely<Tables>
let other: Kysely<Tables>
const statements: string[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-list-cache-'))
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
  pageById(on, all(on).select('id').orderBy('message', 'desc').orderBy('id'), { limit: 2, offset: 0 }, (from, ids) =>
    all(from).select(['id', 'message']).where('id', 'in', ids).execute(),
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
  // Word of another process comes in another step of the event loop.
  await setImmediate()
  expect(await read(db)).toEqual([3, ['d', 'c']])
  await db.updateTable('broadcast_messages').set({ message: 'a' }).where('message', '=', 'd').execute()
  expect(await read(db)).toEqual([3, ['c', 'b']])
  await db.deleteFrom('broadcast_messages').where('message', '=', 'a').execute()
  expect(await read(db)).toEqual([2, ['c', 'b']])
})

test('a rolled back write is never seen', async () => {
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
  const counts: Array<[min: number, counted: number]> = []
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
        const min = written
        counts.push([min, await totalOf(db, all(db))])
      }
    }),
  ])
  expect(counts.filter(([min, counted]) => counted < min)).toEqual([])
  expect(await totalOf(db, all(db))).toBe(written)
})

test('other values of the same query have answers of their own', async () => {
  const called = (name: string) => totalOf(db, all(db).where('message', '=', name))
  expect([await called('b'), await called('nothing'), await called('b'), await called('nothing')]).toEqual([1, 0, 1, 0])
})

test.runIf(engine === 'sqlite')('without writes a total costs no statement, and a page one for its rows', async () => {
  await read(db)
  statements.length = 0
  await totalOf(db, all(db))
  expect(statements).toHaveLength(0)
  await pageOn(db)
  expect(statements).toHaveLength(1)
})

test.runIf(engine === 'postgres')(
  'what only reads asks once whether something was written, and a write in between is seen afterwards',
  async () => {
    await read(db)
    statements.length = 0
    const asked = () => statements.filter((statement) => statement.includes('written_so_far')).length
    const late = await atOneMoment(db, async () => {
      await read(db)
      await read(db)
      expect(asked()).toBe(1)
      return new Promise<unknown>((resolve) => setTimeout(() => resolve(read(db)), 50))
    })
    expect(late).toEqual(await read(db))
    await add(other, 'e')
    const left: Array<Promise<unknown>> = []
    await atOneMoment(db, async () => {
      await read(db)
      await add(other, 'f')
      // This outlives the work, as a job that it started.
      left.push(new Promise((resolve) => setTimeout(resolve, 50)).then(() => read(db)))
    })
    expect(await left[0]).toEqual(await read(other))
  },
)

test.runIf(engine === 'postgres')('the tables and counters of a list are read at any budget for reading, even none', async () => {
  const fresh = openDatabase(database.location)
  const reading = metered(fresh, readMeter(0))
  expect(await countersIn(reading, 'select id from issues')).not.toBeNull()
  await atOneMoment(fresh, async () => {
    const states = [await stateOf(reading), await stateOf(fresh)]
    expect([states[0]?.snapshot, states[0]]).toEqual([expect.stringMatching(/./), states[1]])
  })
  await fresh.destroy()
})

/** Rows of which only what matters here is given. */
const loose = () => db as unknown as Kysely<Record<string, Record<string, unknown>>>
const insert = async (table: string, row: Record<string, unknown>) =>
  (await loose().insertInto(table).values(row).returning('id').executeTakeFirstOrThrow()).id as number

const aUser = (name: string) =>
  insert('users', { username: name, username_key: name, name, email: name, email_key: name, created_at: '', updated_at: '' })

/** A project with a star, in a group of its own: the star goes with the user who gave it, and with the group. */
async function addStarred(name: string): Promise<{ user: number; group: number }> {
  const instants = { created_at: '', updated_at: '' }
  const user = await aUser(name)
  const group = await insert('namespaces', { kind: 'group', name, path: name, visibility: 'public', ...instants })
  const place = { namespace_id: group, name, path: name, visibility: 'public', runners_token: name, last_activity_at: '' }
  const project = await insert('projects', { ...place, ...instants })
  await db.insertInto('project_stars').values({ project_id: project, user_id: user, created_at: '' }).execute()
  return { user, group }
}

const stars = () => totalOf(db, db.selectFrom('project_stars'))

test('rows deleted by a long cascade no longer count', async () => {
  const { group } = await addStarred('one')
  const { user } = await addStarred('two')
  expect(await stars()).toBe(2)
  await db.deleteFrom('users').where('id', '=', user).execute()
  expect(await stars()).toBe(1)
  await db.deleteFrom('namespaces').where('id', '=', group).execute()
  expect(await stars()).toBe(0)
})

test('a write in words of our own counts as a write to everything', async () => {
  await add(db, 'raw')
  const before = await totalOf(db, all(db))
  await sql`delete from broadcast_messages where message = 'raw'`.execute(db)
  expect(await totalOf(db, all(db))).toBe(before - 1)
  await sql`with given (message) as (select 'raw') insert into broadcast_messages (message, starts_at, ends_at, created_at)
    select message, '', '', '' from given`.execute(db)
  expect(await totalOf(db, all(db))).toBe(before)
})

test.runIf(engine === 'sqlite')('a write to other tables keeps the cache', async () => {
  await stars()
  await insert('jobs', { name: 'other', payload: '{}', run_at: '', created_at: '' })
  await inTransaction(db, (tx) => tx.updateTable('jobs').set({ attempts: 1 }).execute())
  await db.deleteFrom('jobs').where('name', '=', 'other').execute()
  const before = statements.length
  await stars()
  expect(statements.length - before).toBe(0)
})

test.runIf(engine === 'sqlite')('a write to columns that a list neither reads nor names keeps its cache', async () => {
  const { id } = await db
    .insertInto('topics')
    .values({ name: 'Kept', name_key: 'kept', title: 'Kept', managed: false, created_at: '', updated_at: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const named = (name: string) => totalOf(db, db.selectFrom('topics').where('name', '=', name))
  const first = () => cachedRows<{ id: number }>(db, db.selectFrom('topics').selectAll().where('id', '=', id))
  const costOf = async (work: () => Promise<unknown>) => {
    const before = statements.length
    await work()
    return statements.length - before
  }
  await named('Kept')
  await first()
  await db.updateTable('topics').set({ description: 'other' }).where('name', '=', 'Kept').execute()
  expect([await costOf(() => named('Kept')), await costOf(first)]).toEqual([0, 1])
  expect(await first()).toMatchObject([{ description: 'other' }])
  await db.updateTable('topics').set({ name: 'New', name_key: 'new' }).where('id', '=', id).execute()
  expect([await named('Kept'), await named('New')]).toEqual([0, 1])
  // A trigger follows: what is found in the index of names, which names no column.
  await db.updateTable('projects').set({ name: 'Renamed' }).execute()
  const inIndex = () =>
    totalOf(
      db,
      db.selectFrom('projects').where(sql<boolean>`id in (select rowid from projects_search where projects_search match 'again')`),
    )
  expect(await inIndex()).toBe(0)
  const { length } = await db.selectFrom('projects').select('id').execute()
  await db.updateTable('projects').set({ name: 'Again' }).execute()
  expect([length > 0, await inIndex()]).toEqual([true, length])
})

test('a total of what only grows is right after rows were added, changed, and deleted, by whomever', async () => {
  const total = () => totalOfGrowing(db, 'events', (eb) => eb('action', '=', 'created'))
  const event = { author_id: 1, action: 'created' as const, created_at: '' }
  const next = numbers(5)
  let expected = await total()
  for (let round = 0; round < 60; round += 1) {
    const by = next(4) === 0 ? other : db
    const act = next(6)
    if (act < 3) await by.insertInto('events').values(event).execute()
    else if (act === 3)
      await by
        .insertInto('events')
        .values({ ...event, action: 'pushed' })
        .execute()
    else if (act === 4)
      await by
        .updateTable('events')
        .set({ action: 'pushed' })
        .where('id', '=', (eb) => eb.selectFrom('events').select('id').limit(1))
        .execute()
    else
      await by
        .deleteFrom('events')
        .where('id', 'in', (eb) => eb.selectFrom('events').select('id').orderBy('id', 'desc').limit(1))
        .execute()
    // A process knows of the writes of others in the next step.
    await setImmediate()
    expected = Number(
      (await db.selectFrom('events').select(sql<number>`count(*)`.as('n')).where('action', '=', 'created').executeTakeFirstOrThrow()).n,
    )
    expect([round, act, await total()]).toEqual([round, act, expected])
  }
  // PostgreSQL can only continue a count from a moment without open transactions, and other databases on the server have some.
  await expect
    .poll(async () => {
      await db.insertInto('events').values(event).execute()
      const before = statements.length
      await total()
      return statements.slice(before).some((statement) => statement.includes('"events"."id" > '))
    })
    .toBe(true)
})

test.runIf(engine === 'sqlite')(
  'a table that came to refer to another after something was deleted from that goes with it as well',
  async () => {
    const remove = (text: string) => db.deleteFrom('broadcast_messages').where('message', '=', text).execute()
    await remove('nothing')
    await db.schema
      .createTable('late')
      .addColumn('message_id', 'bigint', (column) => column.references('broadcast_messages.id').onDelete('cascade'))
      .execute()
    await add(db, 'late')
    await sql`insert into late select id from broadcast_messages where message = 'late'`.execute(db)
    const late = () => totalOf(db, loose().selectFrom('late'))
    expect(await late()).toBe(1)
    await remove('late')
    expect(await late()).toBe(0)
  },
)

test.runIf(engine === 'sqlite')('triggers write only to what is read together with their own table, and there are no views', async () => {
  const { rows } = await sql<{
    tbl_name: string
    sql: string
  }>`select tbl_name, sql from sqlite_master where type in ('trigger', 'view')`.execute(db)
  const written = rows.flatMap((row) =>
    [...row.sql.matchAll(/(?:insert into|delete from|update) "(\w+)"/g)].map(([, name]) => [row.tbl_name, name]),
  )
  expect(written.length).toBeGreaterThan(0)
  // `totalByCounts` reads the counts in a query over the table itself; those of deliveries are not cached.
  const counts = ['list_counts', 'issue_counts', 'merge_request_counts', 'hook_delivery_counts']
  for (const [table, name] of written) expect([...counts, `${table}_search`]).toContain(name)
})

test.runIf(engine === 'postgres')(
  'on PostgreSQL, too, a list stays cached while other tables, or columns it does not name, are written',
  async () => {
    const issues = () => totalOf(db, db.selectFrom('issues').where('issues.title', '=', 'kept'))
    const costOf = async (work: () => Promise<unknown>) => {
      const before = statements.filter((statement) => statement.includes('from "issues"')).length
      const found = await work()
      return [found, statements.filter((statement) => statement.includes('from "issues"')).length - before]
    }
    // Transactions of other databases on this server keep a list from being cached while they run: it is asked for again.
    const { group, user } = await addStarred('counted')
    const project = (await db.selectFrom('projects').select('id').where('namespace_id', '=', group).executeTakeFirstOrThrow()).id
    const issue = { project_id: project, author_id: user, created_at: '', updated_at: '' }
    const set = (change: Record<string, unknown>, on: Db = db) => on.updateTable('issues').set(change).where('iid', '=', 1).execute()
    expect((await costOf(issues))[0]).toBe(0)
    await add(db, 'elsewhere')
    await expect.poll(() => costOf(issues)).toEqual([0, 0])
    await insert('issues', { ...issue, iid: 1, title: 'kept' })
    expect(await costOf(issues)).toEqual([1, 1])
    await set({ user_notes_count: 3, updated_at: 'later' })
    await other.updateTable('projects').set({ last_activity_at: 'later' }).execute()
    await expect.poll(() => costOf(issues)).toEqual([1, 0])
    await set({ title: 'changed' }, other)
    expect(await costOf(issues)).toEqual([0, 1])
    await set({ title: 'kept' })
    expect(await costOf(issues)).toEqual([1, 1])
    // As what refers to it, of another table.
    await db.deleteFrom('projects').where('id', '=', project).execute()
    expect(await costOf(issues)).toEqual([0, 1])
  },
)

test('todos stay cached while issues and notes are written that none of them is about', async () => {
  const { group, user: id } = await addStarred('todos')
  const project = (await db.selectFrom('projects').select('id').where('namespace_id', '=', group).executeTakeFirstOrThrow()).id
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const row = { project_id: project, author_id: id, created_at: '', updated_at: '' }
  let iid = 0
  const addIssue = () => insert('issues', { ...row, iid: ++iid, title: 'Some' })
  const issue_id = await addIssue()
  const comment = () => insert('notes', { ...row, issue_id, body: 'Some', discussion_id: String(++iid) })
  const costOf = async () => {
    const counting = () => statements.filter((statement) => statement.includes('from "todos"')).length
    const before = counting()
    return [await countTodos(db, user, {}), counting() - before]
  }
  expect(await costOf()).toEqual([0, 1])
  await insert('todos', { ...row, user_id: id, issue_id, action: 'assigned' })
  expect(await costOf()).toEqual([1, 1])
  // On PostgreSQL transactions of other databases may let it be counted once more.
  for (const write of [addIssue, comment]) await expect.poll(() => write().then(costOf)).toEqual([1, 0])
  await db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', project).execute()
  expect(await costOf()).toEqual([0, 1])
  await insert('members', { user_id: id, project_id: project, access_level: 10, created_at: '' })
  expect(await costOf()).toEqual([1, 1])
  await db
    .updateTable('issues')
    .set({ confidential: true, author_id: await aUser('another') })
    .where('id', '=', issue_id)
    .execute()
  expect(await costOf()).toEqual([0, 1])
  await db.insertInto('issue_assignees').values({ issue_id, user_id: id }).execute()
  expect(await costOf()).toEqual([1, 1])
})

test.runIf(engine === 'postgres')('a list that was read while somebody wrote is read again once that is committed', async () => {
  const { group, user } = await addStarred('slow')
  const project = (await db.selectFrom('projects').select('id').where('namespace_id', '=', group).executeTakeFirstOrThrow()).id
  const issues = () => totalOf(db, db.selectFrom('issues').where('issues.project_id', '=', project))
  await inTransaction(other, async (tx) => {
    await tx
      .insertInto('issues')
      .values({ project_id: project, author_id: user, iid: 1, title: 'slow', created_at: '', updated_at: '' })
      .execute()
    expect(await issues()).toBe(0)
    expect(await issues()).toBe(0)
  })
  expect(await issues()).toBe(1)
})

test.runIf(engine === 'postgres')('a read beside writes to several tables never shows the state before a finished write', async () => {
  const { group, user } = await addStarred('busy')
  const project = (await db.selectFrom('projects').select('id').where('namespace_id', '=', group).executeTakeFirstOrThrow()).id
  const listed = () => totalOf(db, db.selectFrom('issues').where('issues.project_id', '=', project))
  const byProject = prepared((db: Db, id: number) => db.selectFrom('issues').select('id').where('project_id', '=', id), undefined, {
    isKept: true,
  })
  const grown = () => totalOfGrowing(db, 'events', (eb) => eb('author_id', '=', user))
  const issues = async (by: number) => (by === 0 ? listed() : by === 1 ? grown() : (await byProject(db, project)).length)
  let written = 0
  let isOver = false
  const read = async (by: number) => {
    const stale: Array<[number, number]> = []
    while (!isOver) {
      const min = written
      const found = await issues(by)
      if (found < min) stale.push([found, min])
    }
    return stale
  }
  const write = async (on: Kysely<Tables>, first: number) => {
    for (let iid = first; iid < first + 40; iid += 1) {
      await inTransaction(on, async (tx) => {
        // Transactions that begin later may end sooner, so ids don't become visible in their order.
        await tx.insertInto('events').values({ author_id: user, action: 'created', created_at: '' }).execute()
        await sql`select pg_sleep(${(iid % 3) / 1000})`.execute(tx)
        await tx
          .insertInto('issues')
          .values({ project_id: project, author_id: user, iid, title: 'busy', created_at: '', updated_at: '' })
          .execute()
      })
      written += 1
    }
  }
  const reading = [read(0), read(1), read(1), read(2)]
  await Promise.all([write(db, 1), write(other, 101), write(other, 201)])
  isOver = true
  expect((await Promise.all(reading)).flat()).toEqual([])
  expect(await Promise.all([0, 1, 2].map(issues))).toEqual([120, 120, 120])
})
