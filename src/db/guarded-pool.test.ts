/** Queries fail with a clear error when the connection to PostgreSQL breaks, or when the server falls silent. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { engine, type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { notFound } from '../failure.ts'
import { inTransaction, openDatabase } from './database.ts'
import type { Tables } from './tables.ts'

const onPostgres = test.skipIf(engine !== 'postgres')

let home: string
let database: FreshDatabase
let line: Line
/** The database by way of the line. */
let relayed: string
let db: Kysely<Tables>
let lost: Error[]

beforeEach(async () => {
  if (engine !== 'postgres') return
  home = await mkdtemp(join(tmpdir(), 'gitstead-pool-'))
  database = await freshDatabase(home)
  const target = new URL(database.url as string)
  line = await openLine(target)
  const url = new URL(target)
  url.host = `127.0.0.1:${line.port}`
  // The test server may be reached by a socket; without `host` the URL names the network, where a relay can cut the connection.
  url.searchParams.delete('host')
  lost = []
  relayed = url.href
  db = openDatabase(relayed, { onLost: (error) => lost.push(error) })
  await sql`create table things (name text primary key)`.execute(db)
})

afterEach(async () => {
  if (engine !== 'postgres') return
  await db.destroy()
  await line.close()
  await database.drop()
  await rm(home, { recursive: true })
})

interface Line {
  port: number
  /** Breaks every connection; new ones are taken. */
  cut: () => void
  /** Lets nothing through any more, and takes new connections without a word. */
  freeze: (frozen: boolean) => void
  close: () => Promise<unknown>
}

/** A relay between us and the server, which fails as networks do. */
async function openLine(target: URL): Promise<Line> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (chunk) => isFrozen || to.write(chunk))
      from.once('close', () => {
        sockets.delete(from)
        if (!isFrozen) to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut,
    freeze(frozen) {
      isFrozen = frozen
    },
    close: () => {
      cut()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const unavailable = { code: 'database_unavailable', status: 503 }

onPostgres('a connection that breaks under a statement fails it as unavailable; the next one works', async () => {
  const statement = sql`select pg_sleep(30)`.execute(db)
  const failed = expect(statement).rejects.toMatchObject(unavailable)
  await isRunning('pg_sleep')
  line.cut()
  await failed
  expect(lost.length).toBe(1)
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

onPostgres('a transaction whose connection broke fails with its first error, and leaves nothing', async () => {
  const whileCut = (work: () => Promise<void>) =>
    inTransaction(db, async (tx) => {
      await sql`insert into things values ('half')`.execute(tx)
      line.cut()
      await work()
    })
  await expect(whileCut(async () => Promise.reject(notFound('Project')))).rejects.toMatchObject({ code: 'not_found' })
  // The statement finds out, then the rollback fails, too.
  await expect(whileCut(async () => void (await sql`select 1`.execute(db).catch(() => {})))).rejects.toMatchObject(unavailable)
  expect((await sql`select * from things`.execute(db)).rows).toEqual([])
})

onPostgres('backends that an administrator terminates are replaced', async () => {
  const many = Array.from({ length: 8 }, () => sql`select pg_sleep(30)`.execute(db))
  const outcomes = Promise.allSettled(many)
  await isRunning('pg_sleep', 8)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    db,
  )
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
  const again = await Promise.all(Array.from({ length: 20 }, () => sql`select 1 as one`.execute(db)))
  expect(again.length).toBe(20)
})

onPostgres('a server that falls silent keeps nobody waiting for ever, and a stop neither', async () => {
  const hasty = openDatabase(relayed, { suspicious_ms: 300, probe_ms: 200 })
  await sql`select 1`.execute(hasty)
  line.freeze(true)
  await expect(sql`select 1`.execute(hasty)).rejects.toMatchObject(unavailable)
  line.freeze(false)
  line.cut()
  expect((await sql`select 1 as one`.execute(hasty)).rows).toEqual([{ one: 1 }])
  await hasty.destroy()
  await sql`select 1`.execute(db)
  line.freeze(true)
})

onPostgres('a statement that takes long on a server that lives is left alone', async () => {
  // A busy machine may take its time to answer a probe.
  const wary = openDatabase(relayed, { suspicious_ms: 50, probe_ms: 1_000 })
  const { rows } = await sql`select 1 as one, pg_sleep(1.5)`.execute(wary)
  expect(rows).toMatchObject([{ one: 1 }])
  await wary.destroy()
})

onPostgres('a transaction in which a failed statement was ignored is not taken for committed', async () => {
  const careless = inTransaction(db, async (tx) => {
    await sql`insert into things values ('a')`.execute(tx)
    await sql`select * from nowhere`.execute(tx).catch(() => {})
  })
  await expect(careless).rejects.toThrow(/rolled back/)
})

/** Waits until so many statements with this word are under way. */
async function isRunning(word: string, count = 1): Promise<void> {
  const direct = openDatabase(database.location)
  const running = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like ${`%${word}%`}`.execute(direct)
    return rows[0]?.n
  }
  while ((await running()) !== count) await new Promise((resolve) => setTimeout(resolve, 20))
  await direct.destroy()
}
