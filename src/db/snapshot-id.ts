/** What a statement on PostgreSQL would see, in a word: the word is the same only as long as nothing was committed. */
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { keepPlan } from './kept-plans.ts'
import { StampedAdapter } from './sqlite.ts'

const text = 'select pg_current_snapshot()::text as id'
keepPlan(text)
const query = sql.raw<{ id: string }>(text)

const known = new WeakMap<Db, string>()

/** At most one statement, which reads nothing: it takes a tenth of the time that planning a list takes. */
export async function snapshotId(db: Db): Promise<string> {
  return known.get(db) ?? (await query.execute(db)).rows[0]?.id ?? ''
}

/** The database, for several reads of caches that follow one another: they ask once, here, whether something was written. */
export async function atOneMoment(db: Db): Promise<Db> {
  if (db.isTransaction || db.getExecutor().adapter instanceof StampedAdapter) return db
  const moment = db.withTables<Record<never, never>>()
  known.set(moment, await snapshotId(db))
  return moment
}
