/** SQLite as Kysely and the rest of the house expect a database to be: prepared statements kept, booleans as booleans. */
import BetterSqlite3 from 'better-sqlite3'
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'

const keptStatements = 500

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
      const statement = adaptStatement(connection.prepare(sql))
      if (kept.size >= keptStatements) kept.delete(kept.keys().next().value as string)
      kept.set(sql, statement)
      return statement
    },
  }
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
