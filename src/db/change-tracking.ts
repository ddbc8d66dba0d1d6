/** Tracks writes to an embedded database, by table where the statement names it. */
import type BetterSqlite3 from 'better-sqlite3'
import type { WriteStamps } from './engine/capabilities.ts'

export interface Changes extends WriteStamps {
  /**
   * The tables that a statement may change. What triggers write is not among them: it is read only together with the table of the
   * trigger, which a test asserts.
   */
  touchedBy: (statement: string) => Touched
  /** Called after each of our statements that has written. */
  note: (touched: Touched) => void
}

/**
 * Tables whose rows a statement may have changed; of updates that change no more, as `table.column` those columns; of plain inserts, as
 * `table.+`, the new rows. Null if unknown.
 */
export type Touched = string[] | null

/**
 * Our writes count for their tables, those of other processes on the same file for every table. A client that got a reply from
 * another process and then asks this one sees its writes: SQLite is asked in each step of the event loop, so after the request
 * was read. That takes 1.6 µs.
 */
export function watchChanges(connection: BetterSqlite3.Database): Changes {
  const version = connection.prepare<[], number>('pragma data_version').pluck()
  let writes = 0
  let untold = 0
  const perTable = new Map<string, number>()
  let isFresh = false
  let seen: number | undefined
  const expire = () => {
    isFresh = false
  }
  /** Promises that are settled in this step run before the next tick. */
  const expireAfterStep = () => process.nextTick(expire)
  const note = (touched: Touched) => {
    writes += 1
    if (touched === null) untold += 1
    for (const table of touched ?? []) perTable.set(table, (perTable.get(table) ?? 0) + 1)
  }
  const schema = schemaOf(connection)
  return {
    note,
    tablesIn(statement) {
      const words = new Set(statement.match(/\w+/g))
      const isOfAll = statement.replaceAll('count(*)', '').includes('*')
      const named = [...schema().columns].filter(([table]) => words.has(table))
      return named.flatMap(([table, columns]) => [
        table,
        newRowsOf(table),
        ...columns.filter((column) => isOfAll || words.has(column)).map((column) => `${table}.${column}`),
      ])
    },
    touchedBy: (statement) => touchedBy(schema, statement),
    stamp(tables) {
      if (connection.inTransaction) return null
      if (!isFresh) {
        isFresh = true
        queueMicrotask(expireAfterStep)
        const found = version.get()
        if (found !== seen) note(null)
        seen = found
      }
      // The counters only grow: equal sums mean equal counters.
      return tables ? tables.reduce((sum, table) => sum + (perTable.get(table) ?? 0), untold) : writes
    },
  }
}

interface Reference {
  from: string
  to: string
  on_update: string
  on_delete: string
}

/** The schema of a database, by table. */
interface Schema {
  columns: Map<string, string[]>
  triggers: Map<string, string[]>
  references: Reference[]
}

/** Read at the first statement and after each change of it: asking for every statement took most of the time to prepare one. */
function schemaOf(connection: BetterSqlite3.Database): () => Schema {
  const version = connection.prepare<[], number>('pragma schema_version').pluck()
  let known: { version: number | undefined; schema: Schema } | null = null
  return () => {
    const found = version.get()
    if (known === null || known.version !== found) known = { version: found, schema: readSchema(connection) }
    return known.schema
  }
}

function readSchema(connection: BetterSqlite3.Database): Schema {
  const ofTables = "from sqlite_master as master, %(master.name) as part where master.type = 'table'"
  const read = <R>(fields: string, from: string) => connection.prepare<[], R>(`select ${fields} ${from}`).all()
  const columns = read<{ table: string; name: string }>(
    'master.name as "table", part.name as name',
    ofTables.replace('%', 'pragma_table_info'),
  )
  const triggers = read<{ table: string; sql: string }>('tbl_name as "table", sql', "from sqlite_master where type = 'trigger'")
  const references = read<Reference>(
    'master.name as "from", part."table" as "to", part.on_update, part.on_delete',
    ofTables.replace('%', 'pragma_foreign_key_list'),
  )
  return {
    columns: byTable(columns.map(({ table, name }) => [table, name])),
    triggers: byTable(triggers.map(({ table, sql }) => [table, sql])),
    references,
  }
}

function byTable(entries: Array<[string, string]>): Map<string, string[]> {
  const lists = new Map<string, string[]>()
  for (const [table, value] of entries) lists.set(table, [...(lists.get(table) ?? []), value])
  return lists
}

/** The table, and those whose rows may be deleted or changed with its rows: they refer to it, or to one that does. */
function following({ references }: Schema, table: string, action: 'on_update' | 'on_delete'): string[] {
  const touched = new Set([table])
  // Items that are added on the way are visited, too.
  for (const name of touched) {
    for (const reference of references) {
      if (reference.to === name && reference[action] !== 'NO ACTION' && reference[action] !== 'RESTRICT') touched.add(reference.from)
    }
  }
  return [...touched]
}

/** The schema is read only where its say matters: migrations change it in each of hundreds of statements. */
function touchedBy(schemaNow: () => Schema, statement: string): Touched {
  if (statement.startsWith('begin')) return []
  const [, verb, table] = /^(insert into|update|delete from) "(\w+)" /.exec(statement) ?? []
  if (!verb || !table) return null
  if (verb === 'insert into') return [statement.includes(' on conflict') ? table : newRowsOf(table)]
  const schema = schemaNow()
  const touched = following(schema, table, verb === 'update' ? 'on_update' : 'on_delete')
  const columns = verb === 'update' ? columnsSet(schema, table, statement) : null
  return columns ? [...touched.filter((name) => name !== table), ...columns.map((column) => `${table}.${column}`)] : touched
}

/** Stands in stamps for the rows that are inserted. */
export function newRowsOf(table: string): string {
  return `${table}.+`
}

/**
 * The columns that an update sets, and others that its values name; null where they can't be told, or where a trigger follows that
 * looks at one of them: then more of the table may change.
 */
function columnsSet({ columns, triggers }: Schema, table: string, statement: string): string[] | null {
  if (/select|'| from /.test(statement)) return null
  const words = new Set(statement.split(' where ', 1)[0]?.match(/\w+/g))
  const named = (columns.get(table) ?? []).filter((column) => words.has(column))
  const isWatched = (triggers.get(table) ?? []).some((trigger) => watches(trigger, named))
  return isWatched || named.length === 0 ? null : named
}

/** Whether a trigger may follow a change of one of the columns. */
function watches(trigger: string, columns: string[]): boolean {
  if (!/\b(after|before) update\b/.test(trigger)) return false
  const words = new Set(trigger.match(/\w+/g))
  return !/\bupdate of\b|\bwhen\b/.test(trigger) || columns.some((column) => words.has(column))
}
