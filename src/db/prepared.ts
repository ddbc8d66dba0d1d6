/** The hottest queries: compiled once, and on an embedded database not run again until something was written. */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './database.ts'
import { StampedAdapter } from './sqlite.ts'

class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

interface Prepared<R, T> {
  query: CompiledQuery<R>
  /** What was read, by its arguments, when the database had this stamp. */
  known: Map<string, T[]>
  stamp: number | null
}

const mostKnown = 5_000

/**
 * A query that is built and compiled once for each database, and run with other arguments ever after.
 * `build` must use its arguments as values only, never to decide what the query is. `shape` makes of a row what is wanted.
 * The results may be shared between callers: they must not be changed.
 */
export function prepared<A extends Array<string | number>, R, T = R>(
  build: (db: Db, ...args: A) => Compilable<R>,
  shape: (row: R) => T = (row) => row as unknown as T,
): (db: Db, ...args: A) => Promise<T[]> {
  const perDatabase = new WeakMap<object, Prepared<R, T>>()
  return async (db, ...args) => {
    const { adapter } = db.getExecutor()
    const mine = perDatabase.get(adapter) ?? { query: compile(db, build, args), known: new Map(), stamp: null }
    perDatabase.set(adapter, mine)
    const stamp = adapter instanceof StampedAdapter ? adapter.stamp() : null
    if (stamp === null) return (await run(db, mine.query, args)).map(shape)
    if (stamp !== mine.stamp || mine.known.size >= mostKnown) mine.known.clear()
    mine.stamp = stamp
    const key = JSON.stringify(args)
    const remembered = mine.known.get(key)
    if (remembered) return remembered
    const rows = (await run(db, mine.query, args)).map(shape)
    // Something may have been written while the query waited for its turn.
    if (adapter instanceof StampedAdapter && adapter.stamp() === stamp && mine.stamp === stamp) mine.known.set(key, rows)
    return rows
  }
}

function compile<A extends unknown[], R>(db: Db, build: (db: Db, ...args: A) => Compilable<R>, args: A): CompiledQuery<R> {
  return build(db, ...(args.map((_, index) => new Placeholder(index)) as unknown as A)).compile()
}

async function run<R>(db: Db, query: CompiledQuery<R>, args: unknown[]): Promise<R[]> {
  const parameters = query.parameters.map((value) => (value instanceof Placeholder ? args[value.index] : value))
  return (await db.executeQuery<R>({ ...query, parameters })).rows
}

const made = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * What is made of a row of a prepared query, from it and from other tables: kept as long as the row is. A row that was read
 * again after a write is another object, so nothing that is kept is older than the last write.
 */
export function keptWith<T>(row: object, key: string, make: () => Promise<T>): Promise<T> {
  const kept = made.get(row) ?? new Map<string, Promise<unknown>>()
  made.set(row, kept)
  const known = kept.get(key) as Promise<T> | undefined
  if (known) return known
  const making = make()
  kept.set(key, making)
  making.catch(() => kept.delete(key))
  return making
}
