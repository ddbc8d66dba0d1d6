/** Fixed queries: compiled once and, on an embedded database, run again only after a write to one of their tables (`kept-rows.ts`). */
import { type Compilable, type CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely'
import { despiteTheirLimit } from '../limits/read-meter.ts'
import type { Db } from './database.ts'
import { capabilitiesOf, type WriteStamps } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { keptRows, type Source, sourceOf } from './kept-rows.ts'
import { noteReads, recordReads } from './recorded-reads.ts'

class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

interface Prepared<R> {
  query: CompiledQuery<R>
  source: Source
  /** Identifies it in the keys of the cache, which all queries share. */
  id: number
}

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
  const perDatabase = new WeakMap<object, Prepared<R>>()
  return (db, ...args) => {
    const { adapter } = db.getExecutor()
    const mine = perDatabase.get(adapter) ?? prepare<A, R>(db, build, args)
    perDatabase.set(adapter, mine)
    const read = () => run(db, mine.query, args)
    if (!isKept && !capabilitiesOf(db).changes) return read().then((rows) => rows.map(shape))
    return keptRows(db, mine.source, `${mine.id} ${JSON.stringify(args)}`, read, shape)
  }
}

let count = 0

function prepare<A extends unknown[], R>(db: Db, build: (db: Db, ...args: A) => Compilable<R>, args: A): Prepared<R> {
  const query = build(db, ...(args.map((_, index) => new Placeholder(index)) as unknown as A)).compile()
  keepPlan(query.sql)
  count += 1
  return { query, source: sourceOf(db, query.sql), id: count }
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
  /** The reads that the value depends on, on an engine with stamps. Null until it has been computed: until then any write outdates it. */
  reads: { statements: ReadonlySet<string>; names: string[] } | null
  /** The stamp of that; null on an engine without stamps. */
  stamp: number | null
}

const perRow = new WeakMap<object, Map<string, Kept>>()

/**
 * Caches a value derived from a row of a prepared query and from any other tables, until the row changes, or a table that was read for it.
 * The row alone is not enough: it stays the same object when other tables are written to.
 */
export function keptWith<T>(db: Db, row: object, key: string, make: () => Promise<T>): Promise<T> {
  const { changes } = capabilitiesOf(db)
  const stamp = changes?.stamp() ?? null
  if (changes && stamp === null) return make()
  const kept = perRow.get(row) ?? new Map<string, Kept>()
  perRow.set(row, kept)
  const known = kept.get(key)
  if (known && known.stamp === (changes?.stamp(known.reads?.names) ?? null)) {
    if (known.reads) noteReads(known.reads.statements)
    return despiteTheirLimit(known.value as Promise<T>, make)
  }
  const made: Kept = { value: Promise.resolve(), reads: null, stamp }
  const value = changes ? makeOfTables(db, changes, made, make) : make()
  made.value = value
  kept.set(key, made)
  value.catch(() => kept.get(key) === made && kept.delete(key))
  return value
}

/** Computes the value. From then on only writes to tables that were read for it outdate it, unless something was written meanwhile. */
async function makeOfTables<T>(db: Db, changes: WriteStamps, made: Kept, make: () => Promise<T>): Promise<T> {
  const { result, statements } = await recordReads(make)
  if (changes.stamp() === made.stamp) {
    const names = [...new Set([...statements].flatMap((statement) => sourceOf(db, statement).names))]
    made.reads = { statements, names }
    made.stamp = changes.stamp(names)
  }
  return result
}
