/** The SQLite dialect: cached prepared statements, booleans as booleans, tracked writes. */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { isStorageFull, storageFull } from '../failure.ts'
import type { Capabilities, CapableAdapter } from './engine/capabilities.ts'
import { type Changes, watchChanges } from './engine/change-tracking.ts'
import { foldCase } from './fold-case.ts'
import { bytesOfRow } from './metered-database.ts'
import { type Connection, type LockWrites, localLock, type Statement, sqliteDriver } from './sqlite-driver.ts'

const keptStatements = 500

/** Transactions take the write lock at once: one that takes it at its first write fails if another process wrote since it began. */
const begin = 'begin immediate'

export interface SqliteOptions {
  /** Limit of the file in pages of 4 KiB, for tests of a full disk. */
  max_pages?: number
  /** The lock that all processes share; by default a lock within this process. */
  lockWrites?: LockWrites | undefined
}

/** SQLite blocks the event loop while it waits, so longer waits are outside of it (`sqlite-driver.ts`). */
const busy_ms = 20

/** Opens or creates the file: write-ahead log, every commit flushed, foreign keys enforced. */
export function sqliteDialect(file: string, options: SqliteOptions = {}): Dialect {
  const connection = new BetterSqlite3(file, { timeout: 5_000 })
  const pragmas = ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', `busy_timeout = ${busy_ms}`, 'cache_size = -16000']
  for (const pragma of pragmas) connection.pragma(pragma)
  // Triggers of our own schema call the function.
  connection.pragma('trusted_schema = ON')
  connection.function('fold_case', { deterministic: true }, (text) => (typeof text === 'string' ? foldCase(text) : text))
  if (options.max_pages) connection.pragma(`max_page_count = ${options.max_pages}`)
  const changes = watchChanges(connection)
  const adapted = adapt(connection, changes)
  return {
    createDriver: () => sqliteDriver(adapted, options.lockWrites ?? localLock()),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new Adapter(changes),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class Adapter extends SqliteAdapter implements CapableAdapter {
  readonly capabilities: Capabilities

  constructor(changes: Changes) {
    super()
    this.capabilities = {
      locksRows: false,
      changes,
      hasArrays: false,
      hasTrigramIndexes: false,
      appendsCounts: false,
      altersConstraints: false,
      comparesBytes: true,
      hasIdentityColumns: false,
      hasInformationSchema: false,
      defersForeignKeys: true,
      metersStatements: true,
      bytesType: 'blob',
      jsonArray: (column) => sql<string>`json_group_array(${column})`,
    }
  }
}

function adapt(connection: BetterSqlite3.Database, changes: Changes): Connection {
  const kept = new LRUCache<string, Statement>({ max: keptStatements })
  return {
    close: () => void connection.close(),
    prepare(sql) {
      const known = kept.get(sql)
      if (known) return known
      // A new schema may change which tables a statement touches.
      if (/^(create|alter|drop) /.test(sql)) kept.clear()
      const statement =
        sql === 'rollback' ? rollbackOf(connection, changes) : adaptStatement(connection, sql === 'begin' ? begin : sql, changes)
      kept.set(sql, statement)
      return statement
    },
  }
}

/** On a full disk SQLite rolls back by itself; a second rollback would fail and hide the first error. */
function rollbackOf(connection: BetterSqlite3.Database, changes: Changes): Statement {
  const statement = adaptStatement(connection, 'rollback', changes)
  return { ...statement, run: () => (connection.inTransaction ? statement.run([]) : { changes: 0, lastInsertRowid: 0 }) }
}

function adaptStatement(connection: BetterSqlite3.Database, sql: string, changes: Changes): Statement {
  const statement = connection.prepare(sql)
  const explained = <T>(work: () => T): T => explain(connection.name, work)
  const booleans = statement.reader ? booleanColumns(statement) : []
  const touched = statement.readonly ? [] : changes.touchedBy(sql)
  const note = statement.readonly ? () => {} : () => changes.note(touched)
  // A write without matching rows, such as the polling of the queue, has changed nothing.
  const rowsOnly = /^(insert|update|delete) /.test(sql)
  return {
    reader: statement.reader,
    isWrite: !statement.readonly,
    all(parameters) {
      const rows = explained(() => statement.all(parameters.map(bindable)))
      if (!rowsOnly || rows.length > 0) note()
      return rows.map((row) => withBooleans(row, booleans))
    },
    allMetered(parameters, meter) {
      const rows: unknown[] = []
      explained(() => {
        for (const row of statement.iterate(parameters.map(bindable))) {
          meter.take(bytesOfRow(row as object))
          rows.push(withBooleans(row, booleans))
        }
      })
      return rows
    },
    run(parameters) {
      const result = explained(() => statement.run(parameters.map(bindable)))
      if (!rowsOnly || result.changes > 0) note()
      return result
    },
    *iterate(parameters) {
      note()
      for (const row of statement.iterate(parameters.map(bindable))) yield withBooleans(row, booleans)
    },
  }
}

/** For some of its files SQLite only reports that it could not write them, so check for a full disk. */
function explain<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isUnclear = /^SQLITE_(IOERR|CANTOPEN)/.test((error as { code?: string }).code ?? '')
    throw isUnclear && hasNoRoom(dirname(file)) ? storageFull(error) : error
  }
}

function hasNoRoom(folder: string): boolean {
  const path = join(folder, `.probe-${randomUUID()}`)
  try {
    writeFileSync(path, Buffer.alloc(64 * 1024), { flag: 'wx', flush: true })
    return false
  } catch (error) {
    return isStorageFull(error)
  } finally {
    rmSync(path, { force: true })
  }
}

/** SQLite reports the declared type of a column through aliases and joins; expressions have none. */
function booleanColumns(statement: BetterSqlite3.Statement): string[] {
  return statement
    .columns()
    .filter((column) => column.type?.toLowerCase() === 'boolean')
    .map((column) => column.name)
}

function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  // For `json_each`: SQLite has no arrays.
  return Array.isArray(value) ? JSON.stringify(value) : value
}

function withBooleans(row: unknown, names: string[]): unknown {
  const record = row as Record<string, unknown>
  for (const name of names) {
    if (record[name] !== null) record[name] = record[name] === 1
  }
  return record
}
