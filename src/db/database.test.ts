import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { engine } from '../../test/support/database.ts'
import { type Forge, openForge, testForge } from '../../test/support/forge.ts'
import { Failure } from '../failure.ts'
import type { Db } from './database.ts'
import { contains, inTransaction, isUniqueViolation, openDatabase, paginate } from './database.ts'
import { prepared } from './prepared-queries.ts'
import { asStorageFailure } from './storage-failure.ts'
import type { Tables } from './tables.ts'

let forge: Forge
let db: Kysely<Tables>

beforeAll(async () => {
  forge = await testForge()
  db = forge.app.db
})

test('booleans come back as booleans, through joins, aliases and what an insert returns', async () => {
  const user = await forge.user()
  const project = await forge.project({ owner: user })
  await db.updateTable('users').set({ external: true }).where('id', '=', user.id).execute()
  const row = await db
    .selectFrom('projects')
    .innerJoin('users', 'users.id', 'projects.creator_id')
    .select(['users.external', 'users.admin as is_admin', 'projects.archived'])
    .where('projects.id', '=', project.id)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ external: true, is_admin: false, archived: false })
  const missing = await db
    .selectFrom('users')
    .leftJoin('projects', (join) => join.onRef('projects.creator_id', '=', 'users.id').on('projects.id', '=', -1))
    .select(['projects.archived'])
    .where('users.id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(missing).toEqual({ archived: null })
  const changed = await db.updateTable('users').set({ external: false }).where('id', '=', user.id).returning('external').executeTakeFirst()
  expect(changed).toEqual({ external: false })
  expect(await db.selectFrom('users').select('id').where('external', '=', true).where('id', '=', user.id).execute()).toEqual([])
})

test('ids, counts, sums and sizes beyond 32 bits come back as numbers', async () => {
  const project = await forge.project({ files: null })
  const size = 5_000_000_000_000
  await db.updateTable('projects').set({ repository_size: size }).where('id', '=', project.id).execute()
  const row = await db
    .selectFrom('projects')
    .select((eb) => [
      'projects.id',
      'projects.repository_size',
      eb.fn.sum<number>('projects.repository_size').over().as('whole'),
      eb.fn.countAll<number>().over().as('count'),
    ])
    .where('projects.id', '=', project.id)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ id: project.id, repository_size: size, whole: size, count: 1 })
})

test('a transaction that fails leaves nothing', async () => {
  await expect(
    inTransaction(db, async (tx) => {
      await tx.insertInto('identities').values({ user_id: forge.root.id, provider: 'p', extern_uid: 'rolled back' }).execute()
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await db.selectFrom('identities').selectAll().where('extern_uid', '=', 'rolled back').execute()).toEqual([])
})

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  )
}

test('a unique index that refuses a row is told from other failures, and by its column', async () => {
  const { id, ...row } = await db.selectFrom('users').selectAll().where('id', '=', forge.root.id).executeTakeFirstOrThrow()
  const name = await refusalOf(
    db
      .insertInto('users')
      .values({ ...row, email_key: 'new@example.com', feed_token: 'another' })
      .execute(),
  )
  expect([isUniqueViolation(name), isUniqueViolation(name, 'username_key'), isUniqueViolation(name, 'email_key')]).toEqual([
    true,
    true,
    false,
  ])
  const at = row.created_at
  const running = { state: 'ready' as const, attempts: 1, owner: 'p', run_at: at, created_at: at }
  const job = { name: 'test.serial', payload: '{}', serial_key: 'a', ...running }
  await db.insertInto('jobs').values(job).execute()
  const second = await refusalOf(db.insertInto('jobs').values(job).execute())
  expect([isUniqueViolation(second, 'serial_key'), isUniqueViolation(second, 'unique_key')]).toEqual([true, false])
  const identity = { user_id: id, provider: 'p', extern_uid: 'twice' }
  await db.insertInto('identities').values(identity).execute()
  expect(isUniqueViolation(await refusalOf(db.insertInto('identities').values(identity).execute()))).toBe(true)
  const stranger = await refusalOf(
    db
      .insertInto('identities')
      .values({ ...identity, user_id: -1, extern_uid: 'x' })
      .execute(),
  )
  expect([stranger instanceof Error, isUniqueViolation(stranger)]).toEqual([true, false])
  expect(isUniqueViolation(new Error('something else'))).toBe(false)
})

test('a page holds its rows and the size of the whole, at and past the end too', async () => {
  const values = Array.from({ length: 6 }, (_, index) => ({ user_id: forge.root.id, provider: 'paged', extern_uid: `u${index}` }))
  await db.insertInto('identities').values(values).execute()
  const query = db.selectFrom('identities').select('extern_uid').where('provider', '=', 'paged').orderBy('extern_uid', 'desc')
  const page = async (limit: number, offset: number) => {
    const { rows, total } = await paginate(query, { limit, offset })
    return [rows.map(({ extern_uid }) => extern_uid).join(' '), total]
  }
  expect(await page(4, 0)).toEqual(['u5 u4 u3 u2', 6])
  expect(await page(4, 4)).toEqual(['u1 u0', 6])
  expect(await page(3, 3)).toEqual(['u2 u1 u0', 6])
  expect(await page(3, 6)).toEqual(['', 6])
  expect(await page(100, 4_000_000_000)).toEqual(['', 6])
  expect(await paginate(query.where('extern_uid', '=', 'none'), { limit: 5, offset: 0 })).toEqual({ rows: [], total: 0 })
})

test('a page costs two statements, and one past the end only the count', async () => {
  const query = db.selectFrom('users').selectAll().orderBy('id')
  expect((await forge.cost(() => paginate(query, { limit: 5, offset: 0 }))).statements).toBe(2)
  expect((await forge.cost(() => paginate(query, { limit: 5, offset: 10_000 }))).statements).toBe(1)
  // The number alone is asked for by a page without rows.
  expect((await forge.cost(() => paginate(query, { limit: 0, offset: 0 }))).statements).toBe(1)
})

test('a search takes its term word for word, ignoring case', async () => {
  const names = ['100%', '100 percent', 'a_b', 'axb', 'back\\slash', "it's", 'Großes ABC']
  for (const [index, name] of names.entries()) {
    await db
      .insertInto('identities')
      .values({ user_id: forge.root.id, provider: `search ${index}`, extern_uid: name })
      .execute()
  }
  const found = async (term: string) => {
    const rows = await db
      .selectFrom('identities')
      .select('extern_uid')
      .where('provider', 'like', 'search %')
      .where(contains('identities.extern_uid', term))
      .orderBy('provider')
      .execute()
    return rows.map(({ extern_uid }) => extern_uid)
  }
  expect(await found('100%')).toEqual(['100%'])
  expect(await found('%')).toEqual(['100%'])
  expect(await found('a_b')).toEqual(['a_b'])
  expect(await found('\\')).toEqual(['back\\slash'])
  expect(await found("'")).toEqual(["it's"])
  expect(await found('abc')).toEqual(['Großes ABC'])
  expect(await found('PERCENT')).toEqual(['100 percent'])
  expect(await found('"')).toEqual([])
  expect(await found('')).toEqual(names)
})

test('a prepared query runs with the arguments of each call, in and out of a transaction', async () => {
  const find = prepared((db: Db, id: number, state: string) =>
    db
      .selectFrom('users')
      .select(['id', 'admin'])
      .where('id', '=', id)
      .where('state', '=', state as 'active')
      .where('admin', 'in', [true, false]),
  )
  const user = await forge.user()
  expect(await find(db, forge.root.id, 'active')).toEqual([{ id: forge.root.id, admin: true }])
  expect(await find(db, user.id, 'active')).toEqual([{ id: user.id, admin: false }])
  expect(await find(db, user.id, 'blocked')).toEqual([])
  await expect(
    inTransaction(db, async (tx) => {
      await tx.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
      expect(await find(tx, user.id, 'blocked')).toEqual([{ id: user.id, admin: false }])
      throw new Error('undo')
    }),
  ).rejects.toThrow('undo')
  expect(await Promise.all([find(db, user.id, 'active'), find(db, forge.root.id, 'active')])).toEqual([
    [{ id: user.id, admin: false }],
    [{ id: forge.root.id, admin: true }],
  ])
})

test('a name with NUL names nothing, on both engines', async () => {
  const found = db.selectFrom('uploads').selectAll().where('secret', '=', 'a\0b').execute()
  expect(await found.catch((error) => asStorageFailure(error))).toSatisfy(
    (seen) => (Array.isArray(seen) && seen.length === 0) || (seen as { code?: string }).code === 'not_found',
  )
})

test('a full disk is told apart from every other failure of a database', () => {
  for (const code of ['SQLITE_FULL', '53100', 'ENOSPC', 'EDQUOT']) {
    const failure = asStorageFailure(Object.assign(new Error('disk'), { code })) as Failure
    expect([failure instanceof Failure, failure.status, failure.body]).toEqual([
      true,
      500,
      { message: '500 No storage left on the server' },
    ])
  }
  const other = new Error('other')
  expect(asStorageFailure(other)).toBe(other)
})

test('a row that would belong to what has gone meanwhile is not found to belong anywhere', async () => {
  const row = {
    namespace_id: null,
    project_id: null,
    access_level: 10,
    user_id: 999_999,
    expires_at: null,
    created_at: new Date().toISOString(),
  }
  const project = await forge.project({ files: null })
  const refused = await db
    .insertInto('members')
    .values({ ...row, project_id: project.id })
    .execute()
    .catch((error: unknown) => error)
  const failure = asStorageFailure(refused) as Failure
  expect([failure instanceof Failure, failure.status, failure.body]).toEqual([true, 404, { message: '404 Not Found' }])
})

test.runIf(engine === 'postgres')('one of two deadlocked transactions is run again, and both end', async () => {
  const [one, two] = await Promise.all([forge.project({ files: null }), forge.project({ files: null })])
  let holding = 0
  let go = () => {}
  const bothHold = new Promise<void>((resolve) => {
    go = resolve
  })
  const touch = (tx: Db, id: number, said: string) => tx.updateTable('projects').set({ description: said }).where('id', '=', id).execute()
  const cross = (first: number, second: number, said: string) =>
    inTransaction(db, async (tx) => {
      await touch(tx, first, said)
      holding += 1
      if (holding === 2) go()
      await bothHold
      await touch(tx, second, said)
    })

  await Promise.all([cross(one.id, two.id, 'first'), cross(two.id, one.id, 'second')])

  const rows = await db.selectFrom('projects').select('description').where('id', 'in', [one.id, two.id]).execute()
  expect(holding).toBe(3)
  expect(rows[0]?.description).toBe(rows[1]?.description)
})

test.runIf(engine === 'postgres')('no connection to PostgreSQL compiles queries', async () => {
  const setting = async () => (await sql<{ jit: string }>`show jit`.execute(db)).rows[0]?.jit

  expect(await Promise.all([setting(), setting(), db.transaction().execute(setting)])).toEqual(['off', 'off', 'off'])
})

test.runIf(engine === 'sqlite')('every commit of SQLite is on disk, and what refers to nothing is refused', async () => {
  const pragma = async (name: string) => Object.values((await sql.raw<object>(`pragma ${name}`).execute(db)).rows[0] as object)[0]
  expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual(['wal', 2, 1])
})

test.runIf(engine === 'sqlite')(
  'with the disk full a request is answered with 500 and changes nothing; with room again it succeeds',
  async () => {
    const full = await openForge({ max_pages: 400 })
    const admin = full.as(full.root)
    const fill = async (index: number): Promise<unknown> => {
      const row = { user_id: full.root.id, provider: `fill ${index}`, extern_uid: 'x'.repeat(50_000) }
      return (await refusalOf(full.app.db.insertInto('identities').values(row).execute())) ?? fill(index + 1)
    }
    expect(await fill(0)).toMatchObject({ code: 'SQLITE_FULL' })
    const pathOf = (index: number) => `${'x'.repeat(200)}-${index}`
    const create = (index: number) => admin.post('/groups', { name: pathOf(index), path: pathOf(index) })
    let made = 0
    let answer = await create(0)
    while (answer.status === 201 && made < 300) {
      made += 1
      answer = await create(made)
    }

    expect([answer.status, answer.body]).toEqual([500, { message: '500 No storage left on the server' }])
    expect((await admin.get('/groups')).headers['x-total']).toBe(String(made))
    expect((await admin.get(`/groups/${pathOf(made)}`)).status).toBe(404)
    await sql.raw('pragma max_page_count = 100000').execute(full.app.db)
    expect((await create(made)).status).toBe(201)
    await full.close()
  },
)

test('a database that cannot be opened or reached says so', async () => {
  if (engine === 'sqlite') {
    expect(() => openDatabase(join(forge.app.config.home, 'no', 'such', 'folder.sqlite'))).toThrow(/directory/)
  } else {
    const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none')
    await expect(sql`select 1`.execute(unreachable)).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { code: 'ECONNREFUSED' },
    })
    await unreachable.destroy()
  }
})
