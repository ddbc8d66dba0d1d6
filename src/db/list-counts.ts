/** Totals of long lists that triggers keep, by the value of one column: for 100,000 rows counting takes longer than the page. */
import { type SelectQueryBuilder, SqliteAdapter, sql } from 'kysely'
import type { Db } from './database.ts'
import { totalOf } from './list-cache.ts'

/** Whose rows are counted: projects and groups by their visibility, users by their state. */
type CountedTable = 'projects' | 'namespaces' | 'users'

/**
 * The number of rows with one of these values, null for any, and of the rows of `others`, which have none of them. `others` names the
 * table: that tells the cache when the total changes.
 */
export function totalByCounts<DB, TB extends keyof DB, O>(
  db: Db,
  { table, values }: { table: CountedTable; values: readonly string[] | null },
  others: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const chosen = values === null ? sql`` : sql`and value in (${sql.join(values)})`
  const kept = sql<number>`(select cast(coalesce(sum(number), 0) as bigint) from list_counts where list = ${table} ${chosen})`
  return totalOf(db, others, kept)
}

/** On PostgreSQL each change adds a row; this makes one of all that are there for the same value. Exact at any moment. */
export async function foldCounts(db: Db): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return
  await sql`with folded as (delete from list_counts returning list, value, number)
    insert into list_counts (list, value, number) select list, value, sum(number) from folded group by list, value`.execute(db)
}
