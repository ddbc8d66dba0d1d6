/**
 * Searches for words in names, narrowed by a trigram index. The index only narrows the result: the same `like` decides, so `%` and `_` are
 * literal. Words of one or two letters are found by reading all rows. Without the extension `pg_trgm`, PostgreSQL reads all rows once after
 * each write.
 */
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { foldCase } from './fold-case.ts'
import { totalOf } from './list-cache.ts'
import type { Tables } from './tables.ts'

/** Shorter words can't be found by the index. */
const shortest = 3

/** Each word is a condition of its own, and engines allow some hundreds. No name has as many words. */
const maxWords = 50

/** The words of a search, quoted ones as one. Short words are ignored if there are longer ones, and so are words after the first fifty. */
export function wordsOf(search: string): string[] {
  const words = (search.match(/"[^"]+"|\S+/g) ?? []).map((word) => word.replace(/^"(.+)"$/, '$1'))
  const long = words.filter((word) => word.length >= shortest)
  return [...new Set(long.length > 0 ? long : words)].slice(0, maxWords)
}

/**
 * A hint: a condition for rows that may contain all words, to be combined with the exact condition. Fast if few rows match. Null if the
 * engine needs no hint, or a scan is as fast.
 */
export function mayHave(db: Db, table: 'projects' | 'users', words: string[]): Expression<SqlBool> | null {
  // PostgreSQL uses its index by itself.
  if (capabilitiesOf(db).hasTrigramIndexes) return null
  const known = words.filter(isInIndex)
  return known.length === 0 ? null : matches(table, known.map(phrase).join(' AND '))
}

/** The text columns of issues and merge requests. */
export type IssueText = 'title' | 'description'

/** The text columns of each table whose index is exact, and whether their entries contain the project. */
interface TextsOf {
  issues: IssueText
  merge_requests: IssueText
  /** Notes written by users, on things in a project. */
  notes: 'body'
  snippets: 'title' | 'description'
  snippet_files: 'path' | 'content'
}

/**
 * Condition that one of the texts of a row contains all words, from the index alone: as exact as reading the texts. For a few projects it
 * reads only their entries. Null if only the texts can tell: on PostgreSQL, which uses its index by itself, and for words of one or two
 * letters.
 * @param projectIds null for any; snippets and their files are not found by project
 */
export function inTextIndex<T extends keyof TextsOf>(
  db: Db,
  table: T,
  words: string[],
  columns: TextsOf[T][],
  projectIds: (T extends 'issues' | 'merge_requests' | 'notes' ? number[] : never) | null,
): Expression<SqlBool> | null {
  if (capabilitiesOf(db).hasTrigramIndexes || !words.every(isInIndex)) return null
  const all = `(${words.map(phrase).join(' AND ')})`
  // A single word is looked up once, since it doesn't matter which column contains it.
  const found = words.length === 1 ? `{${columns.join(' ')}} : ${all}` : columns.map((column) => `${column} : ${all}`).join(' OR ')
  const places = projectIds && `place : (${projectIds.map((id) => phrase(placeOf(id))).join(' OR ')}) AND `
  return matches(table, `${places ?? ''}(${found})`)
}

function isInIndex(word: string): boolean {
  return [...foldCase(word)].length >= shortest && !word.includes('\0')
}

const phrase = (word: string) => `"${foldCase(word).replaceAll('"', '""')}"`

function matches(table: string, wanted: string): Expression<SqlBool> {
  const index = sql.table(`${table}_search`)
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (select rowid from ${index} where ${index} match ${wanted})`
}

/** Must match what the triggers of the index write. */
function placeOf(projectId: number): string {
  const digits = [projectId % 20_000, Math.floor(projectId / 20_000) % 20_000, Math.floor(projectId / 400_000_000)]
  return String.fromCodePoint(...digits.map((digit) => 0x4e00 + digit))
}

/** With fewer matches than this, the index finds a page faster; with more, an ordered scan does. */
const few = 500

/**
 * The total of a query, and the fastest query for one page of it.
 * @param hint from `mayHave`: a condition that excludes no match
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
