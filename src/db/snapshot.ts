/** A consistent snapshot of the whole database, read table by table while others continue to write. The same on both engines. */
import BetterSqlite3 from 'better-sqlite3'
import pg from 'pg'
import { engineOf } from './database.ts'
import { postgresTypes } from './postgres.ts'

export interface SnapshotTable {
  name: string
  /** In the order of the values of a row. */
  columns: string[]
}

/** Values of columns, on either engine: booleans are booleans, instants are text. */
export type Value = string | number | boolean | null | Buffer

export interface Snapshot {
  /** The migrations that were applied, in order. */
  migrations: string[]
  /** Every table except those in `notDumped`. */
  tables: SnapshotTable[]
  /** The last id of each table: it is never reused, even if its row was deleted. */
  sequences: Record<string, number>
  /** All rows, in batches, in the order of the primary key. One table at a time. */
  rows: (table: SnapshotTable) => AsyncGenerator<Value[][]>
  close: () => Promise<void>
}

/** Tables that are excluded from backups, and why. */
const leftOut = {
  backups: 'backups that are under way',
  hook_delivery_counts: 'counted again by triggers',
  issue_counts: 'counted again by triggers',
  list_counts: 'counted again by triggers',
  merge_request_counts: 'counted again by triggers',
  queue_workers: 'processes of the moment',
  schema_migrations: 'in the manifest',
  storage_failures: 'machines of the moment',
  stored_sizes: 'counted again by triggers',
}
export const notDumped = Object.keys(leftOut)

const batch = 200

/** @param location as in `openDatabase` */
export function openSnapshot(location: string): Promise<Snapshot> {
  return engineOf(location) === 'postgres' ? openPostgres(location) : openSqlite(location)
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const select = ({ name, columns }: SnapshotTable, order: string[]) =>
  `select ${columns.map(quoted).join(', ')} from ${quoted(name)} ${order.length > 0 ? `order by ${order.map(quoted).join(', ')}` : ''}`

async function openSqlite(file: string): Promise<Snapshot> {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  const all = <T>(sql: string) => connection.prepare(sql).all() as T[]
  connection.pragma('busy_timeout = 5000')
  connection.pragma('query_only = on')
  // The first read fixes what this connection sees until it ends; writers continue in the write-ahead log.
  connection.exec('begin')
  const migrations = all<{ name: string }>('select name from schema_migrations order by name').map(({ name }) => name)
  // Search indexes are virtual tables with shadow tables, filled by triggers.
  const names = all<{ name: string; type: string }>("select name, type from pragma_table_list where schema = 'main' order by name")
    .filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_') && !notDumped.includes(name))
    .map(({ name }) => name)
  const columnsOf = (name: string) => connection.pragma(`table_info(${quoted(name)})`) as Array<{ name: string; pk: number }>
  const tables = names.map((name) => ({ name, columns: columnsOf(name).map((column) => column.name) }))
  const used = all<{ name: string; seq: number }>('select name, seq from sqlite_sequence order by name')
  return {
    migrations,
    tables,
    sequences: Object.fromEntries(used.map(({ name, seq }) => [name, seq])),
    async *rows(table) {
      const key = columnsOf(table.name).filter(({ pk }) => pk > 0)
      const order = key.toSorted((a, b) => a.pk - b.pk).map(({ name }) => name)
      const statement = connection.prepare(select(table, order)).raw()
      const booleans = statement.columns().flatMap(({ type }, index) => (type?.toLowerCase() === 'boolean' ? [index] : []))
      let rows: Value[][] = []
      for (const row of statement.iterate() as IterableIterator<Value[]>) {
        for (const index of booleans) if (row[index] !== null) row[index] = row[index] === 1
        rows.push(row)
        if (rows.length < batch) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
    async close() {
      try {
        connection.close()
      } catch {
        // A reader that stopped in the middle of a table still holds its statement, which ends with the process.
      }
    },
  }
}

async function openPostgres(url: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, types: postgresTypes(), application_name: 'gitstead backup' })
  // A lost connection fails the running query; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  const list = async <T>(sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows as T[]
  try {
    await client.query('begin isolation level repeatable read read only')
    await whileNoEventIsWritten(url, () => client.query('select 1'))
    const migrations = (await list<{ name: string }>('select name from schema_migrations order by name')).map(({ name }) => name)
    const found = await list<{ name: string; columns: string[] }>(
      `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = current_schema() and table_type = 'BASE TABLE' group by table_name order by table_name`,
    )
    const tables = found.filter(({ name }) => !notDumped.includes(name))
    return {
      migrations,
      tables,
      sequences: await sequencesOf(list),
      async *rows(table) {
        const key = await list<{ name: string }>(
          `select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
           where indisprimary and indrelid = $1::regclass order by array_position(indkey::int2[], attnum)`,
          [quoted(table.name)],
        )
        const query = select(
          table,
          key.map(({ name }) => name),
        )
        await client.query(`declare dump no scroll cursor for ${query}`)
        const fetch = () => client.query({ text: `fetch ${batch} from dump`, rowMode: 'array' })
        for (let { rows } = await fetch(); rows.length > 0; { rows } = await fetch()) yield rows as Value[][]
        await client.query('close dump')
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

type List = <T>(sql: string, values?: unknown[]) => Promise<T[]>

async function sequencesOf(list: List): Promise<Record<string, number>> {
  const owned = await list<{ table: string; sequence: string }>(
    `select table_name as table, pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
     from information_schema.columns where table_schema = current_schema() and is_identity = 'YES' order by table_name`,
  )
  const used: Record<string, number> = {}
  for (const { table, sequence } of owned) {
    const [last] = await list<{ value: number }>(`select case when is_called then last_value else 0 end as value from ${sequence}`)
    used[table] = last?.value ?? 0
  }
  return used
}

const lockPatience_s = 5
const maxTries = 12

/**
 * Ids of events are assigned before their transactions commit, so a snapshot could contain one and lack a smaller one. While all writers of
 * events wait, everything that isn't in the snapshot gets a greater id.
 */
async function whileNoEventIsWritten(url: string, work: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'gitstead backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    for (let tries = 1; ; tries += 1) {
      await client.query('begin')
      await client.query(`set local lock_timeout = '${lockPatience_s}s'`)
      try {
        await client.query('lock table events in share mode')
        break
      } catch (error) {
        await client.query('rollback')
        // A long transaction is writing: let those who wait behind this lock continue, and try again.
        if (tries === maxTries || (error as { code?: string }).code !== '55P03') throw error
      }
    }
    await work()
    await client.query('commit')
  } finally {
    await client.end()
  }
}
