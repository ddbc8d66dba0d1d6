/** Indexes of every three letters of texts, whose case is folded for all scripts, the same on both engines. Part of 0030. */
import { type Kysely, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

interface Searched {
  table: string
  columns: string[]
  /** Whether rows are found by their project too: whoever looks in one project doesn't pass over what others have. */
  isPlaced?: true
  /** Which rows are in the index, given the name of the row; all unless given. */
  only?: (row: string) => string
}

const searched: Searched[] = [
  { table: 'projects', columns: ['name', 'path', 'description'] },
  { table: 'users', columns: ['name', 'username'] },
  { table: 'issues', columns: ['title', 'description'], isPlaced: true },
  { table: 'merge_requests', columns: ['title', 'description'], isPlaced: true },
  // What the service notes is not searched, nor are notes on personal snippets.
  { table: 'notes', columns: ['body'], isPlaced: true, only: (row) => `not ${row}.system and ${row}.project_id is not null` },
  { table: 'snippets', columns: ['title', 'description'] },
  { table: 'snippet_files', columns: ['path', 'content'] },
]

/** In place of the indexes that knew capitals of some letters only. */
export async function createTextSearch(db: Kysely<unknown>): Promise<void> {
  const { hasTrigramIndexes } = capabilitiesOf(db)
  if (hasTrigramIndexes) await createFolding(db)
  for (const one of searched) for (const statement of (hasTrigramIndexes ? onPostgres : onSqlite)(one)) await sql.raw(statement).execute(db)
}

/**
 * Of a database without the tables of letters of ICU the locale decides. A function of one expression is part of the query that
 * calls it, so that an index of it is used.
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

/** A table beside the searched one, kept by triggers. It holds no text, only where to find it; the place is a text of three letters. */
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

/** Where the extension is not to be had, or not for this role, a search looks at each row. */
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
