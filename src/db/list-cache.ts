/**
 * Cache of lists: totals and the ids of pages, valid until a table they were read from is written to. Estimated totals are no option, since
 * clients use them for paging; a table of what each user may see would be rewritten by every membership change, and an error in it would
 * reveal secrets. On SQLite, writes are tracked by statement (`change-tracking.ts`); on PostgreSQL by counters drawn from sequences, or
 * else by the snapshot (`write-counters.ts`, `snapshot-id.ts`). Nothing is cached inside a transaction.
 */
import {
  type CompiledQuery,
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { despiteTheirLimit } from '../limits/read-meter.ts'
import { newRowsOf } from './change-tracking.ts'
import type { Db, PageOf } from './database.ts'
import { capabilitiesOf, type WriteStamps } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { isUnchanged, type State, stateOf } from './snapshot-id.ts'
import type { Tables } from './tables.ts'
import { countersIn } from './write-counters.ts'

interface Cached {
  rows: unknown[]
  /** The stamp of the database when the rows were read; null if something was written meanwhile. */
  state: string | null
  /** The tables the rows were read from, if the state covers only those. */
  names?: string[]
}

/** A cached result on PostgreSQL. */
interface Asked {
  /** The state from before the rows were read. */
  state: State
  rows: Promise<unknown[]>
}

const maxLists = 1_000

const perDatabase = new WeakMap<object, LRUCache<string, Cached>>()
const asked = new WeakMap<object, LRUCache<string, Asked>>()

/** Options of a query by keys that has one of a few texts, as `rowsByKeptPlan` takes: whether PostgreSQL keeps its plan. */
export interface PlanOptions {
  keepsPlan?: boolean
}

export interface ListOptions extends PlanOptions {
  /** Tables whose new rows can't be in the list, nor hide what is: they leave it cached. */
  oldRowsOf?: ReadonlyArray<'issues' | 'merge_requests' | 'notes'>
}

/** The number of rows of a query, and of `besides` added to it: at most one statement. */
export async function totalOf<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  besides: RawBuilder<number> = sql.lit(0),
  options: ListOptions = {},
): Promise<number> {
  const counting = query.clearSelect().clearOrderBy().select(sql<number>`count(*) + ${besides}`.as('total'))
  const [row] = await cachedRows<{ total: number }>(db, counting, options)
  return row?.total ?? 0
}

/** As `totalOf`, for a table whose rows are never changed: on SQLite only the rows added since the last count are counted. */
export async function totalOfGrowing(
  db: Db,
  table: 'events',
  where: (eb: ExpressionBuilder<Tables, typeof table>) => Expression<SqlBool>,
): Promise<number> {
  const { changes } = capabilitiesOf(db)
  const all = db.selectFrom(table).where(where)
  if (db.isTransaction || !changes) return totalOf(db, all)
  const last = sql<number>`(select coalesce(max(id), 0) from ${sql.table(table)})`.as('last')
  const whole = all.select([sql<number>`count(*)`.as('total'), last])
  const known = cacheOf(changes)
  const compiled = whole.compile()
  const key = JSON.stringify([compiled.sql, compiled.parameters])
  const before = known.get(key)
  const names = before?.names ?? changes.tablesIn(compiled.sql).filter((name) => name !== newRowsOf(table))
  const stamp = changes.stamp(names)
  const [counted] = before && stamp !== null && before.state === String(stamp) ? (before.rows as Counted[]) : []
  // Selected by id: with an index, SQLite would pass over all rows of a project.
  const added = db.selectFrom(sql<Tables[typeof table]>`${sql.table(table)}`.as<typeof table>(sql`${sql.ref(table)} not indexed`))
  const found = counted
    ? (added as unknown as typeof all)
        .where(where)
        .where(`${table}.id`, '>', counted.last)
        .select([sql<number>`count(*)`.as('total'), last])
    : whole
  const row = await found.executeTakeFirstOrThrow()
  const total = row.total + (counted?.total ?? 0)
  // If anything but new rows was written while the query was queued, the earlier count may be wrong.
  const isSettled = stamp !== null && changes.stamp(names) === stamp
  if (counted && !isSettled) return totalOf(db, all)
  known.set(key, { rows: [{ total, last: row.last }], state: isSettled ? String(stamp) : null, names })
  return total
}

interface Counted {
  total: number
  /** The highest id at that time. */
  last: number
}

/**
 * The rows of one page of ids, in their order: at most two statements, whose second reads no more than the rows of the page. None for a
 * page without rows, which is asked for by who wants the number of a list alone.
 */
export async function pageById<DB, TB extends keyof DB, R extends { id: number }>(
  db: Db,
  ids: SelectQueryBuilder<DB, TB, { id: number }>,
  page: PageOf,
  rowsOf: (db: Db, ids: number[]) => Promise<R[]>,
  options: ListOptions = {},
): Promise<R[]> {
  if (page.limit === 0) return []
  const shown = (await cachedRows<{ id: number }>(db, ids.limit(page.limit).offset(page.offset), options)).map(({ id }) => id)
  if (shown.length === 0) return []
  const rows = new Map((await rowsOf(db, shown)).map((row) => [row.id, row]))
  // A row that was deleted meanwhile is not shown.
  return shown.flatMap((id) => rows.get(id) ?? [])
}

/**
 * As `pageById`, but reads from the nearer end of the list, so that fewer rows are passed over for a late page.
 * @param idsIn the ids in order, or in exactly the opposite order
 */
export async function pageOfList<DB, TB extends keyof DB, R extends { id: number }>(
  db: Db,
  idsIn: (isReversed: boolean) => SelectQueryBuilder<DB, TB, { id: number }>,
  { total, ...page }: PageOf & { total: number },
  rowsOf: (db: Db, ids: number[]) => Promise<R[]>,
  options: ListOptions = {},
): Promise<R[]> {
  if (total <= page.offset) return []
  const following = total - page.offset - page.limit
  if (following >= page.offset) return pageById(db, idsIn(false), page, rowsOf, options)
  const mirrored = { offset: Math.max(following, 0), limit: Math.min(page.limit, total - page.offset) }
  return (await pageById(db, idsIn(true), mirrored, rowsOf, options)).reverse()
}

/** The direction of an order, reversed if requested. */
export function directed(sort: 'asc' | 'desc', isReversed: boolean): 'asc' | 'desc' {
  return (sort === 'asc') === isReversed ? 'desc' : 'asc'
}

function cacheOf(changes: WriteStamps): LRUCache<string, Cached> {
  const known = perDatabase.get(changes) ?? new LRUCache<string, Cached>({ max: maxLists })
  perDatabase.set(changes, known)
  return known
}

interface Query {
  compile: () => CompiledQuery<unknown>
}

/**
 * The rows of any query. They are shared between callers and must not be changed. On PostgreSQL this takes one more statement, for the
 * snapshot: once per reading request.
 */
export async function cachedRows<R>(db: Db, query: Query, { keepsPlan = false, oldRowsOf = [] }: ListOptions = {}): Promise<R[]> {
  const compiled = query.compile()
  if (keepsPlan) keepPlan(compiled.sql)
  // Uncommitted writes are invisible to others and not counted by stamps.
  if (db.isTransaction) return (await db.executeQuery(compiled)).rows as R[]
  const { changes } = capabilitiesOf(db)
  const key = JSON.stringify([compiled.sql, compiled.parameters])
  if (!changes) return (await bySnapshot(db, compiled, key, oldRowsOf)) as R[]
  const known = cacheOf(changes)
  const found = await byStamp(db, changes, compiled, known.get(key), oldRowsOf)
  known.set(key, found)
  return found.rows as R[]
}

async function byStamp(
  db: Db,
  changes: WriteStamps,
  compiled: CompiledQuery<unknown>,
  before: Cached | undefined,
  oldRowsOf: readonly string[],
): Promise<Cached> {
  const unread = oldRowsOf.map(newRowsOf)
  const names = before?.names ?? changes.tablesIn(compiled.sql).filter((name) => !unread.includes(name))
  const stamp = changes.stamp(names)
  if (before && stamp !== null && before.state === String(stamp)) return before
  const { rows } = await db.executeQuery(compiled)
  // Something may have been written while the query was queued.
  return { rows, state: stamp !== null && changes.stamp(names) === stamp ? String(stamp) : null, names }
}

/**
 * The state is read before the rows, so a write in between only makes the rows count as older than they are. Concurrent callers wait for
 * the same read.
 */
async function bySnapshot(db: Db, compiled: CompiledQuery<unknown>, key: string, oldRowsOf: readonly string[]): Promise<unknown[]> {
  const { adapter } = db.getExecutor()
  const known = asked.get(adapter) ?? new LRUCache<string, Asked>({ max: maxLists })
  asked.set(adapter, known)
  const [state, counters] = await Promise.all([stateOf(db), countersIn(db, compiled.sql, oldRowsOf)])
  const before = known.get(key)
  const read = () => db.executeQuery(compiled).then((result) => result.rows)
  if (before && isUnchanged(before.state, state, counters)) return despiteTheirLimit(before.rows, read)
  const rows = read()
  const found = { state, rows }
  known.set(key, found)
  rows.catch(() => known.get(key) === found && known.delete(key))
  return rows
}
