/** Looking for words in names: an index of every three letters in a row tells which rows may have them, where there is one. */
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { totalOf } from './list-cache.ts'
import { StampedAdapter } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** What the index knows nothing of. */
const shortest = 3

/** Each is a condition of its own, of which an engine takes some hundreds at most. No name has as many words. */
const maxWords = 50

/**
 * The words of what is searched for, those in quotes as one. Short ones narrow nothing where there are longer ones, nor do
 * those after the first fifty.
 */
export function wordsOf(search: string): string[] {
  const words = (search.match(/"[^"]+"|\S+/g) ?? []).map((word) => word.replace(/^"(.+)"$/, '$1'))
  const long = words.filter((word) => word.length >= shortest)
  return [...new Set(long.length > 0 ? long : words)].slice(0, maxWords)
}

/**
 * Only rows whose texts may have all the words: to be put beside the condition that says what is wanted, for it is quick where
 * few have them. Null where the engine finds its own way, or none is quicker than to look at each row.
 */
export function mayHave(db: Db, table: 'projects' | 'users', words: string[]): Expression<SqlBool> | null {
  // PostgreSQL itself puts the index to use where it is worth it.
  if (!(db.getExecutor().adapter instanceof StampedAdapter)) return null
  const known = words.filter((word) => [...word].length >= shortest && !word.includes('\0'))
  if (known.length === 0) return null
  const wanted = known.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')
  const index = sql.table(`${table}_search`)
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (select rowid from ${index} where ${index} match ${wanted})`
}

/** A page of fewer than these is found by the index; one of more is soon filled by looking through all in order. */
const few = 500

/**
 * How many rows a query has, and the query by which a page of them is found best.
 * @param hint what `mayHave` gave: a condition that takes nothing from what the query finds
 */
export async function countFound<TB extends keyof Tables, O>(
  db: Db,
  query: SelectQueryBuilder<Tables, TB, O>,
  hint: Expression<SqlBool> | null,
): Promise<{ total: number; found: SelectQueryBuilder<Tables, TB, O> }> {
  const hinted = hint ? query.where(hint) : query
  const total = await totalOf(db, hinted)
  return { total, found: total < few ? hinted : query }
}
