/** A fresh database for each forge, on the engine under test. */
import { randomBytes } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { onceForAll } from './run/once-for-all.ts'

export const engine = process.env.GITSTEAD_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite'

export interface FreshDatabase {
  /** As in the configuration: null for SQLite in the data folder. */
  url: string | null
  /** The argument of `openDatabase`. */
  location: string
  drop: () => Promise<void>
}

/** Creates an empty database. `home` is the folder of SQLite's file. */
export async function freshDatabase(home: string): Promise<FreshDatabase> {
  if (engine === 'sqlite') return atFile(home)
  return createDatabase(randomName())
}

/**
 * Creates a database as a copy of a template. The first worker that needs the template calls `fill`, which migrates it and inserts what
 * every forge has. `fill` must leave no connection open.
 */
export async function copiedDatabase(home: string, fill: (template: FreshDatabase, home: string) => Promise<void>): Promise<FreshDatabase> {
  template ??= makeTemplate(fill)
  return databaseFrom(await template, home)
}

/** Creates a database as a copy of this template. `home` is the folder of SQLite's file. */
export async function databaseFrom(template: string, home: string): Promise<FreshDatabase> {
  if (engine === 'postgres') return createDatabase(randomName(), template)
  const database = atFile(home)
  await copyFile(template, database.location)
  return database
}

/** Makes a template of a database without connections: it is kept until all tests have ended. On PostgreSQL it gets another name. */
export async function keepAsTemplate({ location }: FreshDatabase): Promise<string> {
  if (engine === 'sqlite') return location
  const name = templateName()
  const server = process.env.GITSTEAD_TEST_DATABASE_URL as string
  await onServer(server, `alter database ${new URL(location).pathname.slice(1)} rename to ${name}`)
  return name
}

/** Name or file. Kept until all tests have ended: `build.ts` removes it. */
let template: Promise<string> | null = null

function makeTemplate(fill: (template: FreshDatabase, home: string) => Promise<void>): Promise<string> {
  return onceForAll(`template-${engine}`, async (home) => {
    const name = templateName()
    const database = engine === 'sqlite' ? atFile(home) : await createDatabase(name)
    await fill(database, home)
    return engine === 'sqlite' ? database.location : name
  })
}

function atFile(home: string): FreshDatabase {
  return { url: null, location: join(home, 'gitstead.sqlite'), drop: async () => {} }
}

const templateName = () => `${inject('template_prefix')}_${randomBytes(3).toString('hex')}`

const randomName = () => `gitstead_test_${randomBytes(6).toString('hex')}`

async function createDatabase(name: string, from?: string): Promise<FreshDatabase> {
  const server = process.env.GITSTEAD_TEST_DATABASE_URL as string
  await onServer(server, `create database ${name}${from ? ` template ${from}${await strategyOf(server)}` : ''}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    location: url.href,
    drop: async () => void (await onServer(server, `drop database if exists ${name} with (force)`)),
  }
}

let strategy: Promise<string> | null = null

/** From version 15 on, PostgreSQL by default writes each copied page to the log; copying files is half the work. */
function strategyOf(server: string): Promise<string> {
  strategy ??= onServer(server, 'show server_version_num').then(([row]) =>
    Number(row?.server_version_num) >= 150_000 ? ' strategy file_copy' : '',
  )
  return strategy
}

async function onServer(url: string, statement: string): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
