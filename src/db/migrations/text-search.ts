/** Trigram indexes of texts with the case folded for all scripts, the same on both engines. Part of 0030. */
import { type Kysely, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

interface Searched {
  table: string
  columns: string[]
  /** Whether entries also contain the project, so that a search in one project doesn't read entries of others. */
  isPlaced?: true
  /** Condition for the rows to index, given the name of the row; all rows by default. */
  only?: (row: string) => string
}

const searched: Searched[] = [
  { table: 'projects', columns: ['name', 'path', 'description'] },
  { table: 'users', columns: ['name', 'username'] },
  { table: 'issues', columns: ['title', 'description'], isPlaced: true },
  { table: 'merge_requests', columns: ['title', 'description'], isPlaced: true },
  // System notes and notes on personal snippets are not searched.
  { table: 'notes', columns: ['body'], isPlaced: true, only: (row) => `not ${row}.system and ${row}.project_id is not null` },
  { table: 'snippets', columns: ['title', 'description'] },
  { table: 'snippet_files', columns: ['path', 'content'] },
]

/** Replaces the indexes that folded the case of some letters only. */
export async function createTextSearch(db: Kysely<unknown>): Promise<void> {
  const { hasTrigramIndexes } = capabilitiesOf(db)
  if (hasTrigramIndexes) await createFolding(db)
  for (const one of searched) for (const statement of (hasTrigramIndexes ? onPostgres : onSqlite)(one)) await sql.raw(statement).execute(db)
}

/**
 * On a database built without ICU, the locale decides. A function with a single expression is inlined into the calling query, so that its
 * indexes are used.
 */
async function createFolding(db: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    execute format(
      'create or replace function fold_case(text) returns text language sql immutable parallel safe as %L',
      case when exists (select from pg_collation where collname = 'und-x-icu')
        then 'select replace(lower($1 collate "und-x-icu"), ''ς'', ''σ'')'
        else 'select replace(lower($1), ''ς'', ''σ'')' end);
  end $$`.execute(db)
}

/** A trigram table maintained by triggers. It holds no text, only positions; the place is a text of three letters. */
function* onSqlite({ table, columns, isPlaced, only }: Searched): Generator<string> {
  const index = `${table}_search`
  const place = (row: string) =>
    `char(19968 + ${row}.project_id % 20000, 19968 + ${row}.project_id / 20000 % 20000, 19968 + ${row}.project_id / 400000000)`
  const names = [...(isPlaced ? ['place'] : []), ...columns].join(', ')
  const values = (row: string) => [...(isPlaced ? [place(row)] : []), ...columns.map((column) => `fold_case(${row}.${column})`)].join(', ')
  const watched = ['id', ...(isPlaced ? ['project_id'] : []), ...columns]
  const hasChanged = watched.map((column) => `old.${column} is not new.${column}`).join(' or ')
  const add = (row: string, from: string) =>
    `insert into "${index}" (rowid, ${names}) select ${row}.id, ${values(row)} ${from} where ${only?.(row) ?? 'true'};`
  const remove = `delete from "${index}" where rowid = old.id;`
  for (const event of ['insert', 'delete', 'update']) yield `drop trigger if exists ${index}_${event}`
  yield `drop table if exists ${index}`
  yield `create virtual table ${index} using fts5(${names}, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`
  yield add(table, `from ${table}`)
  yield `create trigger ${index}_insert after insert on ${table} begin ${add('new', '')} end`
  yield `create trigger ${index}_delete after delete on ${table} begin ${remove} end`
  yield `create trigger ${index}_update after update of ${watched.join(', ')} on ${table} when ${hasChanged} begin ${remove} ${add('new', '')} end`
}

/** If the extension is missing, or this role may not create it, a search reads each row. */
function* onPostgres({ table, columns, only }: Searched): Generator<string> {
  for (const column of columns) yield `drop index if exists ${table}_search_${column}`
  const where = only ? ` where ${only(table).replaceAll(`${table}.`, '')}` : ''
  const indexes = columns.map(
    (column) => `create index ${table}_search_${column} on ${table} using gin (fold_case(${column}) gin_trgm_ops)${where};`,
  )
  yield `do $$ begin
    create extension if not exists pg_trgm;
    ${indexes.join('\n    ')}
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then null;
  end $$`
}
