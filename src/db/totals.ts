/** How long a list is: counted exactly, and not again until something was written. */
import { type CompiledQuery, type Expression, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { StampedAdapter } from './sqlite.ts'

interface Known {
  total: number
  /** What the database was like when it was counted. */
  state: string | null
}

const mostKnown = 1_000

const perDatabase = new WeakMap<object, Map<string, Known>>()

/** The number of rows of a query, with at most one statement. */
export async function totalOf<DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): Promise<number> {
  const counting = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as('total'))
  // What a transaction has written itself nobody else sees, and no state tells.
  if (db.isTransaction) return (await db.executeQuery<Known>(counting.compile() as CompiledQuery<Known>)).rows[0]?.total ?? 0
  const { adapter } = db.getExecutor()
  const known = perDatabase.get(adapter) ?? new Map<string, Known>()
  perDatabase.set(adapter, known)
  const compiled = counting.compile()
  const key = JSON.stringify([compiled.sql, compiled.parameters])
  const found =
    adapter instanceof StampedAdapter
      ? await byStamp(db, adapter, compiled, known.get(key))
      : await bySnapshot(db, counting, known.get(key))
  known.delete(key)
  known.set(key, found)
  if (known.size > mostKnown) known.delete(known.keys().next().value as string)
  return found.total
}

async function byStamp(db: Db, adapter: StampedAdapter, counting: CompiledQuery, before: Known | undefined): Promise<Known> {
  const stamp = adapter.stamp()
  if (before && stamp !== null && before.state === String(stamp)) return before
  const [row] = (await db.executeQuery<Known>(counting as CompiledQuery<Known>)).rows
  // Something may have been written while the query waited for its turn.
  return { total: row?.total ?? 0, state: stamp !== null && adapter.stamp() === stamp ? String(stamp) : null }
}

/** A snapshot names the transactions whose writes are seen: where it is the same, so is all there is to count. */
async function bySnapshot(db: Db, counting: Expression<unknown>, before: Known | undefined): Promise<Known> {
  const state = sql<string>`pg_current_snapshot()::text`
  const total = before
    ? sql<number>`case when ${state} = ${before.state} then ${before.total}::bigint else (${counting}) end`
    : sql<number>`(${counting})`
  const { rows } = await sql<Known>`select ${total} as total, ${state} as state`.execute(db)
  return rows[0] as Known
}
