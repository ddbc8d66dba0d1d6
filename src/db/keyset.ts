/** Keyset pages: each begins after the last row of the page before. They are fast at any depth, but have no total. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Found, Keyset, Position } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * The rows of one keyset page, in order: at most two statements.
 * @param list the filtered list; the ordering column must belong to this table and must never be null
 */
export async function pageByKeyset<TB extends keyof Tables & string, O, R extends { id: number }>(
  db: Db,
  list: SelectQueryBuilder<Tables, TB, O>,
  table: TB,
  { limit, keyset }: { limit: number; keyset?: Keyset | null },
  rowsOf: (db: Db, ids: number[]) => Promise<R[]>,
): Promise<Found<R>> {
  const { order_by, sort, after } = keyset ?? { order_by: 'id', sort: 'asc' as const, after: null }
  const [value, id] = [sql.ref<string | number>(`${table}.${order_by}`), sql.ref<number>(`${table}.id`)]
  const beyond = sort === 'asc' ? sql`>` : sql`<`
  const isAfter = (row: Position) =>
    order_by === 'id' ? sql<boolean>`${id} ${beyond} ${row.id}` : sql<boolean>`(${value}, ${id}) ${beyond} (${row.value}, ${row.id})`
  const rest = after ? list.where(isAfter(after)) : list
  const ordered = rest
    .clearSelect()
    .select([value.as('value'), id.as('id')])
    .orderBy(value, sort)
    .orderBy(id, sort)
  // One more row shows whether there is another page.
  const positions = (await ordered.limit(limit + 1).execute()) as Position[]
  const shown = positions.slice(0, limit)
  if (shown.length === 0) return { rows: [], total: 0, position: null }
  const ids = shown.map((position) => position.id)
  const rows = new Map((await rowsOf(db, ids)).map((row) => [row.id, row]))
  return {
    // A row may have been deleted between the statements.
    rows: shown.flatMap((position) => rows.get(position.id) ?? []),
    total: 0,
    position: positions.length > limit ? (shown.at(-1) ?? null) : null,
  }
}
