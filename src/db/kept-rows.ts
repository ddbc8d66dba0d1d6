/**
 * Caches the rows of queries until a table that they were read from is written to: one cache for fixed queries, totals, and the ids of
 * pages. On SQLite, writes are tracked by statement (`engine/change-tracking.ts`). On PostgreSQL, triggers count them by table
 * (`write-counters.ts`); if a table has none, any write counts (`snapshot-id.ts`). Nothing is cached inside a transaction, since others
 * don't see its writes.
 */
import { LRUCache } from 'lru-cache'
import { despiteTheirLimit } from '../limits/read-meter.ts'
import type { Db } from './database.ts'
import { capabilitiesOf, type WriteStamps } from './engine/capabilities.ts'
import { newRowsOf } from './engine/change-tracking.ts'
import { bytesOfRow } from './metered-database.ts'
import { noteRead } from './recorded-reads.ts'
import { isUnchanged, type State, stateOf } from './snapshot-id.ts'
import { type Counters, countersIn } from './write-counters.ts'

/** A statement, with all that tells whether a write has outdated its rows. */
export interface Source {
  statement: string
  /** Tables whose new rows don't change the result. */
  oldRowsOf: readonly string[]
  /** On SQLite, the names of all that it reads, as `engine/change-tracking.ts` gives them; empty on PostgreSQL. */
  names: string[]
}

/** How far writes had come when rows were read, or just before: a stamp on SQLite, a state on PostgreSQL. */
export type Mark = number | State

/** The current mark and, on PostgreSQL, the write counters of the tables that a statement reads. */
export interface Now {
  mark: Mark
  counters: Counters | null
}

interface Kept {
  mark: Mark
  /** Concurrent callers wait for the same read. */
  reading: Promise<unknown[]>
  /** Set once they have been read. */
  rows: unknown[] | null
}

interface Caches {
  kept: LRUCache<string, Kept>
  sources: Map<string, Source>
}

/** The limit of all rows of a database: beyond it, the least recently used results go. */
const maxAll_bytes = 16 * 1024 * 1024
/** A larger result is not kept. */
const maxResult_bytes = 800 * 1024
/** The estimated size of each result and each row without its texts. */
const overhead_bytes = 200
const maxSources = 1_000

const perDatabase = new WeakMap<object, Caches>()

function cachesOf(db: Db): Caches {
  const { adapter } = db.getExecutor()
  const known = perDatabase.get(adapter)
  if (known) return known
  const made = { kept: new LRUCache<string, Kept>({ maxSize: maxAll_bytes, maxEntrySize: maxResult_bytes }), sources: new Map() }
  perDatabase.set(adapter, made)
  return made
}

export function sourceOf(db: Db, statement: string, oldRowsOf: readonly string[] = []): Source {
  const { changes } = capabilitiesOf(db)
  if (!changes) return { statement, oldRowsOf, names: [] }
  const { sources } = cachesOf(db)
  const key = oldRowsOf.length === 0 ? statement : `${oldRowsOf.join(' ')} ${statement}`
  const known = sources.get(key)
  if (known) return known
  const unread = oldRowsOf.map(newRowsOf)
  const names = changes.tablesIn(statement).filter((name) => !unread.includes(name))
  const made = { statement, oldRowsOf, names }
  if (sources.size >= maxSources) sources.clear()
  sources.set(key, made)
  return made
}

/**
 * Returns the cached rows of a statement, or reads them if a write may have outdated those. They are shared between callers and must not be
 * changed. On PostgreSQL this takes one more statement, once per reading request.
 * @param key identifies the statement, its values, and the way in which `shape` converts rows
 */
export async function keptRows<R, T = R>(
  db: Db,
  source: Source,
  key: string,
  read: () => Promise<R[]>,
  shape: (row: R) => T = (row) => row as unknown as T,
): Promise<T[]> {
  const shaped = async () => (await read()).map(shape)
  // The mark is taken before the read. So rows may be newer than their mark, which only costs another read, but never older.
  const { changes } = capabilitiesOf(db)
  const now = changes ? stampNow(db, changes, source) : await stateNow(db, source)
  if (now === null) return shaped()
  const { mark } = now
  const { kept } = cachesOf(db)
  const before = kept.get(key)
  if (before && isStill(before.mark, now)) {
    noteRead(source.statement)
    return (before.rows as T[] | null) ?? despiteTheirLimit(before.reading as Promise<T[]>, shaped)
  }
  let bytes = 0
  const reading = read().then((found) => {
    bytes = sizeOf(key, found)
    return found.map(shape)
  })
  const entry: Kept = { mark, reading, rows: null }
  kept.set(key, entry, { size: overhead_bytes + key.length })
  try {
    const rows = await reading
    // A new object: if the same one were set again, the cache would keep its old size.
    if (kept.peek(key) === entry) kept.set(key, { ...entry, rows }, { size: bytes })
    return rows
  } catch (error) {
    if (kept.peek(key) === entry) kept.delete(key)
    throw error
  }
}

function stampNow(db: Db, changes: WriteStamps, { names }: Source): Now | null {
  const mark = db.isTransaction ? null : changes.stamp(names)
  return mark === null ? null : { mark, counters: null }
}

async function stateNow(db: Db, { statement, oldRowsOf }: Source): Promise<Now | null> {
  if (db.isTransaction) return null
  const [mark, counters] = await Promise.all([stateOf(db), countersIn(db, statement, oldRowsOf)])
  return { mark, counters }
}

/** How far writes have come for this source; null inside a transaction. */
export async function markNow(db: Db, source: Source): Promise<Now | null> {
  const { changes } = capabilitiesOf(db)
  return changes ? stampNow(db, changes, source) : stateNow(db, source)
}

function isStill(earlier: Mark, { mark, counters }: Now): boolean {
  return typeof earlier === 'object' && typeof mark === 'object' ? isUnchanged(earlier, mark, counters) : earlier === mark
}

function sizeOf(key: string, rows: unknown[]): number {
  const own_bytes = (row: unknown) => (typeof row === 'object' && row !== null ? bytesOfRow(row) : 0)
  return rows.reduce((sum: number, row) => sum + overhead_bytes + own_bytes(row), overhead_bytes + key.length)
}

/** The rows that were kept under the key, if they are still as they were. */
export function rowsKeptAt<T>(db: Db, key: string, now: Now): T[] | null {
  const found = cachesOf(db).kept.get(key)
  return found && isStill(found.mark, now) ? (found.rows as T[] | null) : null
}

export function keepRowsAt(db: Db, key: string, mark: Mark, rows: unknown[]): void {
  cachesOf(db).kept.set(key, { mark, reading: Promise.resolve(rows), rows }, { size: sizeOf(key, rows) })
}
