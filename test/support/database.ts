/** A fresh database for each forge, on the engine under test. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'

export const engine = process.env.GITSTEAD_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite'

export interface FreshDatabase {
  /** As in the configuration: null for SQLite in the data folder. */
  url: string | null
  /** What `openDatabase` takes. */
  location: string
  drop: () => Promise<void>
}

/** Creates an empty database. `home` is where SQLite puts its file. */
export async function freshDatabase(home: string): Promise<FreshDatabase> {
  if (engine === 'sqlite') return { url: null, location: join(home, 'gitstead.sqlite'), drop: async () => {} }
  const server = process.env.GITSTEAD_TEST_DATABASE_URL as string
  const name = `gitstead_test_${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, location: url.href, drop: () => onServer(server, `drop database if exists ${name} with (force)`) }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
