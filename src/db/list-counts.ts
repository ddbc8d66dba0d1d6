/** Totals of long lists, maintained by triggers per value of one column: counting 100,000 rows takes longer than reading a page. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { totalOf } from './list-cache.ts'

/** Tables with counted rows: projects and groups by visibility, users by `state kind` or `state kind external`. */
type CountedTable = 'projects' | 'namespaces' | 'users'

/**
 * The number of rows whose value meets the condition, plus the rows of `others`, whose values don't. `others` names the table, which tells
 * the cache when the total changes.
 */
export function totalByCounts<DB, TB extends keyof DB, O>(
  db: Db,
  { table, condition }: { table: CountedTable; condition: RawBuilder<SqlBool> },
  others: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const kept = sql<number>`(select cast(coalesce(sum(number), 0) as bigint) from list_counts where list = ${table} and ${condition})`
  return totalOf(db, others, kept)
}

/** Condition for one of these values; null for any value. */
export function valueIn(values: readonly string[] | null): RawBuilder<SqlBool> {
  return values === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`value in (${sql.join(values)})`
}

/** On PostgreSQL each change adds a row; this replaces all rows of a value by their sum. The total is exact at any moment. */
export async function foldCounts(db: Db): Promise<void> {
  if (!capabilitiesOf(db).appendsCounts) return
  await sql`with folded as (delete from list_counts returning list, value, number)
    insert into list_counts (list, value, number) select list, value, sum(number) from folded group by list, value`.execute(db)
  await foldOf(db, 'issue_counts', ['project_id', 'state', 'confidential'])
  await foldOf(db, 'merge_request_counts', ['project_id', 'state'])
  await foldOf(db, 'hook_delivery_counts', ['hook_id', 'block'])
}

/** Folds the rows of those projects or webhooks, by the first column, that have several; most have only one. */
async function foldOf(db: Db, name: string, columns: string[]): Promise<void> {
  const [table, key, all] = [sql.table(name), sql.ref(columns[0] ?? ''), sql.join(columns.map((column) => sql.ref(column)))]
  await sql`with folded as (
      delete from ${table} where ${key} in (
        select ${key} from ${table} group by ${all} having count(*) > 1 or sum(number) = 0
      ) returning ${all}, number
    )
    insert into ${table} (${all}, number)
    select ${all}, sum(number) from folded group by ${all} having sum(number) <> 0`.execute(db)
}
