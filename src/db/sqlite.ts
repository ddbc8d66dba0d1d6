/** SQLite as Kysely and the rest of the house expect a database to be: prepared statements kept, booleans as booleans. */
import BetterSqlite3 from 'better-sqlite3'
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'

const keptStatements = 500

/** Transactions are for writing: one that locks only at its first write may find that another process wrote since it began. */
const begin = 'begin immediate'

export interface SqliteOptions {
  /** Most pages (4 KiB each) the file may have: what a test uses to fill the disk. */
  max_pages?: number
}

/** Opens or creates the file: write-ahead log, every commit fsynced, foreign keys enforced. */
export function sqliteDialect(file: string, options: SqliteOptions = {}): SqliteDialect {
  const connection = new BetterSqlite3(file)
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', 'busy_timeout = 5000', 'cache_size = -16000']) {
    connection.pragma(pragma)
  }
  if (options.max_pages) connection.pragma(`max_page_count = ${options.max_pages}`)
  return new SqliteDialect({ database: adapt(connection) })
}

function adapt(connection: BetterSqlite3.Database): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => void connection.close(),
    prepare(sql) {
      const known = kept.get(sql)
      if (known) return known
      const statement = sql === 'rollback' ? rollbackOf(connection) : adaptStatement(connection.prepare(sql === 'begin' ? begin : sql))
      if (kept.size >= keptStatements) kept.delete(kept.keys().next().value as string)
      kept.set(sql, statement)
      return statement
    },
  }
}

/** When its disk is full SQLite rolls back by itself; to be asked again would be an error that hides the first. */
function rollbackOf(connection: BetterSqlite3.Database): SqliteStatement {
  const statement = adaptStatement(connection.prepare('rollback'))
  return { ...statement, run: () => (connection.inTransaction ? statement.run([]) : { changes: 0, lastInsertRowid: 0 }) }
}

function adaptStatement(statement: BetterSqlite3.Statement): SqliteStatement {
  const booleans = statement.reader ? booleanColumns(statement) : []
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters.map(bindable)).map((row) => withBooleans(row, booleans)),
    run: (parameters) => statement.run(parameters.map(bindable)),
    *iterate(parameters) {
      for (const row of statement.iterate(parameters.map(bindable))) yield withBooleans(row, booleans)
    },
  }
}

/** SQLite keeps the declared type of a column, through aliases and joins; expressions have none. */
function booleanColumns(statement: BetterSqlite3.Statement): string[] {
  return statement
    .columns()
    .filter((column) => column.type?.toLowerCase() === 'boolean')
    .map((column) => column.name)
}

function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}

function withBooleans(row: unknown, names: string[]): unknown {
  const record = row as Record<string, unknown>
  for (const name of names) {
    if (record[name] !== null) record[name] = record[name] === 1
  }
  return record
}
