/** Fixed queries, which are compiled once and on an embedded database not run again until one of their tables was written to. */
import { type Compilable, type CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely'
import { despiteTheirLimit } from '../limits/read-meter.ts'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { bytesOfRow } from './metered-database.ts'
import { isUnchanged, type State, stateOf } from './snapshot-id.ts'
import { countersIn } from './write-counters.ts'

class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

interface Results {
  /** By arguments. */
  known: Map<string, unknown[]>
  /** The size of what is known. */
  bytes: number
  /** The caches of the same database, which share a limit. */
  all: AllResults
}

interface AllResults {
  bytes: number
  queries: Set<Results>
}

interface Prepared<R, T> extends Results {
  query: CompiledQuery<R>
  /** The tables it reads. */
  tables: string[]
  /** Read when the database had this stamp. */
  known: Map<string, T[]>
  /** The stamp on SQLite, the state on PostgreSQL. */
  stamp: number | State | null
}

const maxKnown = 5_000
/** Limit of one query. A result larger than a tenth of it is not kept. */
const maxKnown_bytes = 8 * 1024 * 1024
/** The limit of all queries of a database: beyond it the one that has most forgets its results. */
const maxAll_bytes = 32 * 1024 * 1024
/** The estimated size of each result and each row without its texts. */
const overhead_bytes = 200

/** Arguments of a prepared query. An array is one value, for `among`. */
type Argument = string | number | readonly number[]

/**
 * `column in (…)` as one value, so that a prepared query can take a list, and a list may be longer than the limit of values per statement.
 */
export function among(db: Db, column: string, values: readonly number[] | readonly string[]): RawBuilder<SqlBool> {
  return capabilitiesOf(db).hasArrays
    ? sql<SqlBool>`${sql.ref(column)} = any(${values})`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${values}))`
}

/**
 * A query that is built and compiled once per database and then run with different arguments. `build` may use its arguments only as values,
 * never to decide what the query is. `shape` converts a row. Results may be shared between callers and must not be changed.
 * @param options.isKept whether to keep results on PostgreSQL, too, while nothing is written: for queries that take longer than the extra
 * statement that checks this
 */
export function prepared<A extends Argument[], R, T = R>(
  build: (db: Db, ...args: A) => Compilable<R>,
  shape: (row: R) => T = (row) => row as unknown as T,
  { isKept = false }: { isKept?: boolean } = {},
): (db: Db, ...args: A) => Promise<T[]> {
  const perDatabase = new WeakMap<object, Prepared<R, T>>()
  return async (db, ...args) => {
    const { adapter } = db.getExecutor()
    const mine = perDatabase.get(adapter) ?? prepare<A, R, T>(db, build, args)
    perDatabase.set(adapter, mine)
    const { changes } = capabilitiesOf(db)
    const stamp = changes ? changes.stamp(mine.tables) : isKept && !db.isTransaction ? await stampOfState(db, mine) : null
    if (stamp === null) return (await run(db, mine.query, args)).map(shape)
    if (stamp !== mine.stamp || mine.known.size >= maxKnown || mine.bytes > maxKnown_bytes) forget(mine)
    mine.stamp = stamp
    const key = JSON.stringify(args)
    const cached = mine.known.get(key)
    if (cached) return cached
    const found = await run(db, mine.query, args)
    const bytes = found.reduce((sum, row) => sum + bytesOfRow(row as object) + overhead_bytes, key.length + overhead_bytes)
    const rows = found.map(shape)
    // Something may have been written while the query was queued. A snapshot is read before the rows: it may be older than they are, but
    // not newer.
    const isStill = !changes || changes.stamp(mine.tables) === stamp
    if (isStill && mine.stamp === stamp && bytes < maxKnown_bytes / 10) keep(mine, key, rows, bytes)
    return rows
  }
}

function keep(mine: Results, key: string, rows: unknown[], bytes: number): void {
  mine.known.set(key, rows)
  mine.bytes += bytes
  mine.all.bytes += bytes
  if (mine.all.bytes > maxAll_bytes) forgetLargest(mine.all)
}

function forget(mine: Results): void {
  mine.known.clear()
  mine.all.bytes -= mine.bytes
  mine.bytes = 0
}

function forgetLargest({ queries }: AllResults): void {
  const [first, ...others] = queries
  if (first) forget(others.reduce((largest, other) => (other.bytes > largest.bytes ? other : largest), first))
}

const allPerDatabase = new WeakMap<object, AllResults>()

/** On PostgreSQL: the earlier state as long as all would be read again as it was then. */
async function stampOfState<R, T>(db: Db, { query, stamp }: Prepared<R, T>): Promise<State> {
  const [state, counters] = await Promise.all([stateOf(db), countersIn(db, query.sql)])
  return stamp !== null && typeof stamp === 'object' && isUnchanged(stamp, state, counters) ? stamp : state
}

function prepare<A extends unknown[], R, T>(db: Db, build: (db: Db, ...args: A) => Compilable<R>, args: A): Prepared<R, T> {
  const query = build(db, ...(args.map((_, index) => new Placeholder(index)) as unknown as A)).compile()
  keepPlan(query.sql)
  const { adapter } = db.getExecutor()
  const all = allPerDatabase.get(adapter) ?? { bytes: 0, queries: new Set() }
  allPerDatabase.set(adapter, all)
  const tables = capabilitiesOf(db).changes?.tablesIn(query.sql) ?? []
  const mine: Prepared<R, T> = { query, tables, known: new Map(), bytes: 0, all, stamp: null }
  all.queries.add(mine)
  return mine
}

/**
 * Runs a query that is built each time, but by keys and with one of a few texts, so that PostgreSQL keeps the plan. For queries that
 * contain the current day, such as those about memberships.
 */
export async function rowsByKeptPlan<R>(db: Db, query: Compilable<R>): Promise<R[]> {
  const compiled = query.compile()
  keepPlan(compiled.sql)
  return (await db.executeQuery(compiled)).rows
}

async function run<R>(db: Db, query: CompiledQuery<R>, args: unknown[]): Promise<R[]> {
  const parameters = query.parameters.map((value) => (value instanceof Placeholder ? args[value.index] : value))
  return (await db.executeQuery<R>({ ...query, parameters })).rows
}

/** A number that stays the same until the database is written to; null if that is unknown: in a transaction, or on PostgreSQL. */
export function stampOf(db: Db): number | null {
  return capabilitiesOf(db).changes?.stamp() ?? null
}

interface Kept {
  value: Promise<unknown>
  /** The stamp of the whole database when the value was made; null on an engine without stamps. */
  stamp: number | null
}

const perRow = new WeakMap<object, Map<string, Kept>>()

/**
 * A value derived from a row of a prepared query and from any other tables, kept as long as the row is and nothing at all is written to the
 * database. The row alone is not enough: it stays the same when other tables are written to.
 */
export function keptWith<T>(db: Db, row: object, key: string, make: () => Promise<T>): Promise<T> {
  const { changes } = capabilitiesOf(db)
  const stamp = changes?.stamp() ?? null
  if (changes && stamp === null) return make()
  const kept = perRow.get(row) ?? new Map<string, Kept>()
  perRow.set(row, kept)
  const known = kept.get(key)
  if (known && known.stamp === stamp) return despiteTheirLimit(known.value as Promise<T>, make)
  const value = make()
  kept.set(key, { value, stamp })
  value.catch(() => kept.get(key)?.value === value && kept.delete(key))
  return value
}
