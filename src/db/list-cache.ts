/**
 * Cache of lists: totals and the ids of pages, valid until a table they were read from is written to. Estimated totals are no option, since
 * clients use them for paging; a table of what each user may see would be rewritten by every membership change, and an error in it would
 * reveal secrets. What is kept, and how long, is the business of `kept-rows.ts`.
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
import type { Db, PageOf } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { keepRowsAt, keptRows, markNow, rowsKeptAt, sourceOf } from './kept-rows.ts'
import type { State } from './snapshot-id.ts'
import type { Tables } from './tables.ts'
import { lastIdIn } from './write-counters.ts'

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

/** As `totalOf`, for a table whose old rows seldom change: it only counts rows that were added since the last count. */
export async function totalOfGrowing(db: Db, table: 'events', where: Where): Promise<number> {
  const all = db.selectFrom(table).where(where)
  const counting = all.select(sql<number>`count(*)`.as('total')).compile()
  const count = async () => [(await countOn(db, table, where, counting)) ?? (await totalOf(db, all))]
  const [total] = await keptRows(db, sourceOf(db, counting.sql), keyOf(counting, []), count)
  return total ?? 0
}

type Where = (eb: ExpressionBuilder<Tables, 'events'>) => Expression<SqlBool>

/** Adds new rows to the previous count. Null if old ones may have changed, or can't be told from new ones now: then all must be counted. */
async function countOn(db: Db, table: 'events', where: Where, counting: CompiledQuery<unknown>): Promise<number | null> {
  const source = sourceOf(db, counting.sql, [table])
  const now = await markNow(db, source)
  if (now === null) return null
  const { mark } = now
  const key = keyOf(counting, [table])
  const [counted] = rowsKeptAt<Counted>(db, key, now) ?? []
  const settled = typeof mark === 'number' ? null : await settledId(db, mark, table)
  if (typeof mark !== 'number' && !counted && settled === null) return null
  const row = await countAfter(db, table, where, counted?.last ?? 0, settled)
  // On SQLite all that was counted is settled, unless anything but new rows was written while the query was queued.
  const isSettled = typeof mark === 'number' ? (await markNow(db, source))?.mark === mark : settled !== null
  if (typeof mark === 'number' && counted && !isSettled) return null
  const before = counted?.total ?? 0
  if (isSettled) keepRowsAt(db, key, mark, [{ total: before + row.settled, last: settled ?? row.last }])
  return before + row.total
}

/** The state of a count. No row is ever added at or below the id `last`, so the next count starts above it. */
interface Counted {
  total: number
  last: number
}

/** On PostgreSQL, the id up to which no more rows can appear; null while an open transaction may have drawn a lower one. */
async function settledId(db: Db, { isQuiet, numbers }: State, table: string): Promise<number | null> {
  return isQuiet ? lastIdIn(db, numbers, table) : null
}

/** The rows with a higher id, how many of these are settled, and the highest id of the table. */
function countAfter(
  db: Db,
  table: 'events',
  where: Where,
  after: number,
  settled: number | null,
): Promise<{ total: number; settled: number; last: number }> {
  // By id, SQLite only reads new rows; with an index that it prefers, it would pass over all rows of a project.
  const byId = after > 0 && capabilitiesOf(db).changes !== null
  const from = byId ? sql<Tables[typeof table]>`${sql.table(table)}`.as<typeof table>(sql`${sql.ref(table)} not indexed`) : table
  const id = sql.ref(`${table}.id`)
  return (db.selectFrom(from as typeof table) as SelectQueryBuilder<Tables, typeof table, Record<never, never>>)
    .where(where)
    .$if(after > 0, (query) => query.where(`${table}.id`, '>', after))
    .select([
      sql<number>`count(*)`.as('total'),
      (settled === null ? sql<number>`count(*)` : sql<number>`count(*) filter (where ${id} <= ${settled})`).as('settled'),
      sql<number>`(select coalesce(max(id), 0) from ${sql.table(table)})`.as('last'),
    ])
    .executeTakeFirstOrThrow()
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

interface Query {
  compile: () => CompiledQuery<unknown>
}

/** The rows of any query. They are shared between callers and must not be changed. */
export function cachedRows<R>(db: Db, query: Query, { keepsPlan = false, oldRowsOf = [] }: ListOptions = {}): Promise<R[]> {
  const compiled = query.compile()
  if (keepsPlan) keepPlan(compiled.sql)
  const read = async () => (await db.executeQuery(compiled)).rows as R[]
  return keptRows(db, sourceOf(db, compiled.sql, oldRowsOf), keyOf(compiled, oldRowsOf), read)
}

function keyOf({ sql: text, parameters }: CompiledQuery<unknown>, oldRowsOf: readonly string[]): string {
  return JSON.stringify([text, parameters, oldRowsOf])
}
