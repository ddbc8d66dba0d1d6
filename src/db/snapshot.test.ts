/** A snapshot has every table there is, at one moment, whoever writes meanwhile. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { engine, type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { gate, untilOneWaits } from '../../test/support/locks.ts'
import { onPostgresAlone } from '../../test/support/run/tiers.ts'
import { keyColumn } from '../backup/objects.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { notDumped, openSnapshot } from './snapshot.ts'
import type { Tables } from './tables.ts'

let home: string
let database: FreshDatabase
let db: Kysely<Tables>

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-snapshot-'))
  database = await freshDatabase(home)
  db = openDatabase(database.location)
  await migrate(db)
})

afterEach(async () => {
  await db.destroy()
  await database.drop()
  await rm(home, { recursive: true })
})

/** Tables that triggers fill: search indexes of SQLite, and the tables these are kept in. */
const derived = /^(projects|users|issues|merge_requests|notes|snippets|snippet_files)_search(_\w+)?$/

test('every table is in a backup, except those with a reason', async () => {
  const all = (await db.introspection.getTables()).map(({ name }) => name).filter((name) => !name.startsWith('sqlite_'))
  const snapshot = await openSnapshot(database.location)
  const names = snapshot.tables.map(({ name }) => name)
  await snapshot.close()
  // A reason for a table that is gone fails, too.
  expect([...names, ...notDumped].sort()).toEqual(all.filter((name) => !derived.test(name)).sort())
  expect(notDumped).toEqual(notDumped.toSorted())
})

test('every column that holds a key of the objects store is known as one', async () => {
  const all = (await db.introspection.getTables()).flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
  const keys = all.filter((name) => name.endsWith('_key') && !keyColumn.test(name.split('.')[1] as string))
  // A new one is either named as `keyColumn` has it, or is no key of the store, and is added here.
  expect(keys.toSorted()).toEqual([
    'emails.email_key',
    'jobs.serial_key',
    'jobs.unique_key',
    'oauth_keys.private_key',
    'passkeys.public_key',
    'pull_mirrors.private_key',
    'pull_mirrors.public_key',
    'push_mirrors.private_key',
    'push_mirrors.public_key',
    'redirects.path_key',
    'routes.path_key',
    'topics.name_key',
    'users.email_key',
    'users.username_key',
  ])
})

test('a snapshot has nothing that was written after it began, in any table', onPostgresAlone('Half a second of processor.'), async () => {
  const add = (value: string) => db.insertInto('settings').values({ name: value, value }).execute()
  await add('before')
  const snapshot = await openSnapshot(database.location)
  await add('after')
  await db
    .insertInto('broadcast_messages')
    .values({ message: 'x', starts_at: 'x', ends_at: 'x', color: null, font: null, created_at: 'x', updated_at: null })
    .execute()
  const rowsOf = async (name: string) => {
    const table = snapshot.tables.find((one) => one.name === name)
    const rows = []
    if (table) for await (const batch of snapshot.rows(table)) rows.push(...batch)
    return rows
  }
  expect([await rowsOf('settings'), await rowsOf('broadcast_messages')]).toEqual([[['before', 'before']], []])
  await snapshot.close()
})

test.runIf(engine === 'postgres')('an event that is not in it has a greater id than all that are', async () => {
  const user = {
    username: 'a',
    username_key: 'a',
    name: 'a',
    email: 'a',
    email_key: 'a',
    state: 'active',
    theme_id: 1,
    created_at: 'x',
    updated_at: 'x',
  }
  const { id: author_id } = await db
    .insertInto('users')
    .values(user as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const event = { author_id, action: 'pushed', created_at: 'x' } as const
  const insert = (on: Kysely<Tables>) =>
    on
      .insertInto('events')
      .values(event as never)
      .returning('id')
      .executeTakeFirstOrThrow()
  const [inserted, released] = [gate(), gate()]
  // Its id is the smaller one, and it is committed last.
  const slow = db.transaction().execute(async (tx) => {
    const { id } = await insert(tx)
    inserted.open()
    await released.isOpen
    return id
  })
  await inserted.isOpen
  const quick = await insert(db)
  const opening = openSnapshot(database.location)
  await untilOneWaits(db)
  released.open()
  const snapshot = await opening
  const table = snapshot.tables.find(({ name }) => name === 'events')
  const ids: unknown[] = []
  if (table) for await (const batch of snapshot.rows(table)) ids.push(...batch.map(([id]) => id))
  await snapshot.close()
  expect(ids).toEqual([await slow, quick.id])
})
