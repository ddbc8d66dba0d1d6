/** Opens the database, and hides the few differences between the two engines. */
import { setTimeout } from 'node:timers/promises'
import { type DatabaseConnection, type Dialect, Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { ReadMeter } from '../limits/read-meter.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import type { GuardOptions } from './guarded-pool.ts'
import { meteredDatabase } from './metered-database.ts'
import { postgresDialect } from './postgres.ts'
import { type SqliteOptions, sqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** A connection or an open transaction: the first argument of every query. */
export type Db = Kysely<Tables> | Transaction<Tables>
/** An open transaction, for what must happen together or not at all. */
export type Tx = Transaction<Tables>
export type Engine = 'sqlite' | 'postgres'

export interface DatabaseOptions extends SqliteOptions, GuardOptions {
  /** Called with the text of every statement; used by tests to count them. */
  onStatement?: ((statement: string) => void) | undefined
  /** Called with the text of every statement except `rollback` before it runs; what it throws becomes the failure of the statement. */
  beforeStatement?: ((statement: string) => void) | undefined
}

/** `location` is a `postgres://…` URL or the path of an SQLite file. */
export function openDatabase(location: string, options: DatabaseOptions = {}): Kysely<Tables> {
  const { onStatement, beforeStatement } = options
  const dialect = engineOf(location) === 'postgres' ? postgresDialect(location, options) : sqliteDialect(location, options)
  const db = new Kysely<Tables>({
    dialect: beforeStatement ? observed(dialect, beforeStatement) : dialect,
    log: (event) => void (event.level === 'query' && onStatement?.(event.query.sql)),
  })
  dialects.set(db, dialect)
  return db
}

const dialects = new WeakMap<Kysely<Tables>, Dialect>()

/** Meters a database for one operation: statements throw ReadLimitReached once their results exceed what the meter allows in memory. */
export function metered(db: Kysely<Tables>, meter: ReadMeter): Kysely<Tables> {
  const dialect = dialects.get(db)
  if (!dialect) throw new Error('only an opened database can be metered')
  return meteredDatabase(db, dialect, meter)
}

/** Wraps a dialect so that its connections call `before` first. */
function observed(dialect: Dialect, before: (statement: string) => void): Dialect {
  const seen = new WeakSet<DatabaseConnection>()
  const createDriver = dialect.createDriver.bind(dialect)
  dialect.createDriver = () => {
    const driver = createDriver()
    const acquire = driver.acquireConnection.bind(driver)
    driver.acquireConnection = async () => {
      const connection = await acquire()
      if (seen.has(connection)) return connection
      seen.add(connection)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = async (query) => {
        if (query.sql !== 'rollback') before(query.sql)
        return execute(query)
      }
      return connection
    }
    return driver
  }
  return dialect
}

export function engineOf(location: string): Engine {
  return /^postgres(ql)?:/.test(location) ? 'postgres' : 'sqlite'
}

const maxTries = 4

/** Callbacks to run once each open transaction has been committed. */
const afterCommits = new WeakMap<Db, Array<() => void>>()

/** Calls `then` once the transaction has been committed, and never if it isn't; immediately if `db` is no transaction. */
export function afterCommit(db: Db, then: () => void): void {
  const waiting = afterCommits.get(db)
  if (waiting) waiting.push(then)
  else then()
}

/**
 * Runs `work` in one transaction. Only the database may be awaited inside. If two transactions deadlock, the database rolls one back and it
 * is run again, so `work` must be repeatable and must not change anything outside of the transaction.
 */
export async function inTransaction<T>(db: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const waiting: Array<() => void> = []
    try {
      const result = await db.transaction().execute((tx) => {
        afterCommits.set(tx, waiting)
        return work(tx)
      })
      for (const then of waiting) then()
      return result
    } catch (error) {
      if (tries === maxTries || !isDeadlock(error)) throw error
      // With a random delay: otherwise this one could take the lock again that the other still waits for.
      await setTimeout((20 + Math.random() * 80) * tries)
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === '40P01'
}

/** Takes an advisory lock until the end of the transaction. SQLite has only one write transaction at a time anyway. */
export async function oneAtATime(tx: Db, matter: string): Promise<void> {
  if (!capabilitiesOf(tx).locksRows) return
  await sql`select pg_advisory_xact_lock(hashtext(${matter}))`.execute(tx)
}

/**
 * Locks the rows of a query (`for update`) until the transaction ends. On SQLite a transaction has the database to itself from its
 * beginning.
 */
export function lockedRows<DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> {
  return capabilitiesOf(db).locksRows ? query.forUpdate() : query
}

/**
 * Protects the rows of this table in a query from deletion (`for key share`) until the transaction ends, so that new rows may refer to
 * them; rows that are being deleted are omitted.
 */
export function lastingRows<DB, TB extends keyof DB & string, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB,
): SelectQueryBuilder<DB, TB, O> {
  return capabilitiesOf(db).locksRows ? query.forKeyShare(table) : query
}

/** Whether a unique index rejected the row; with `column`, whether the index covers that column. */
export function isUniqueViolation(error: unknown, column = ''): boolean {
  const { code, message = '', detail = '' } = (error ?? {}) as { code?: string; message?: string; detail?: string }
  const unique = code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  // PostgreSQL names the columns only in the detail, before the values: `Key (project_id, iid)=(1, 2) already exists.`
  const [columns] = detail.split(')=(')
  return unique && `${message} ${columns}`.includes(column)
}

export interface PageOf {
  limit: number
  offset: number
  /** For keyset pages: the order, and the row after which the page begins. */
  keyset?: Keyset | null
}

/** The order of a list and the row after which a page begins; null for the first page. */
export interface Keyset {
  order_by: string
  sort: 'asc' | 'desc'
  after: Position | null
}

/** The position of a row in a list: its value in the ordering column, and its id. */
export interface Position {
  value: string | number
  id: number
}

/** A page of a list. For a keyset page, `position` is that of its last row (null at the end), and the total is unknown. */
export interface Found<R> {
  rows: R[]
  total: number
  position?: Position | null
}

/** One page of a query and the total number of rows, in two statements. */
export async function paginate<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: PageOf,
): Promise<{ rows: O[]; total: number }> {
  const counting = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as('total'))
  const { total } = (await counting.executeTakeFirstOrThrow()) as { total: number }
  const rows = total > page.offset && page.limit > 0 ? await query.limit(page.limit).offset(page.offset).execute() : []
  return { rows, total }
}

/** Condition that `column` contains `term`, ignoring case as `foldCase` does; `%` and `_` are literal. */
export function contains(column: string, term: string) {
  const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`
  // The database folds both, since its Unicode tables may be older than ours.
  return sql<boolean>`fold_case(${sql.ref(column)}) like fold_case(${pattern}) escape '\\'`
}
