/** Tracks writes to an embedded database, by table if the statement names it. */
import type BetterSqlite3 from 'better-sqlite3'
import type { WriteStamps } from './capabilities.ts'

export interface Changes extends WriteStamps {
  /**
   * The tables that a statement may change. Tables written by triggers are not included: they are only read together with the table of the
   * trigger, which a test asserts.
   */
  touchedBy: (statement: string) => Touched
  /** Called after each of our own statements that wrote something. */
  note: (touched: Touched) => void
}

/**
 * The targets that a statement may have changed: `table`; `table.column` for an update of these columns only; `table.+` for a plain insert,
 * which leaves old rows alone. Null if unknown.
 */
export type Touched = string[] | null

/**
 * Our own writes count for their tables, those of other processes for every table. A client that got a reply from another process and then
 * asks this one sees its writes: SQLite is asked in each step of the event loop, and so after the request was read. That takes 1.6 µs.
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
  /** Promises settled in this step run before the next tick. */
  const expireAfterStep = () => process.nextTick(expire)
  const note = (touched: Touched) => {
    // The beginning of a transaction.
    if (touched?.length === 0) return
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
      // Counters only grow, so equal sums mean equal counters.
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

/**
 * Read at the first statement, and after each change of the schema: reading it for every statement took most of the time of preparing one.
 */
function schemaOf(connection: BetterSqlite3.Database): () => Schema {
  const version = connection.prepare<[], number>('pragma schema_version').pluck()
  let known: { version: number | undefined; schema: Schema } | null = null
  return () => {
    const found = version.get()
    if (known === null || known.version !== found) known = { version: found, schema: readSchema(connection) }
    return known.schema
  }
}

/** The schema that was read last, with its text: a process has one database, but tests have hundreds with the same schema. */
let latest: { text: string; schema: Schema } | null = null

function readSchema(connection: BetterSqlite3.Database): Schema {
  const text = connection.prepare<[], string>("select group_concat(sql, ';') from sqlite_master").pluck().get() ?? ''
  if (latest?.text !== text) latest = { text, schema: parseSchema(connection) }
  return latest.schema
}

function parseSchema(connection: BetterSqlite3.Database): Schema {
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

/** The table, and those whose rows may be deleted or changed with its rows because they refer to it, directly or indirectly. */
function following({ references }: Schema, table: string, action: 'on_update' | 'on_delete'): string[] {
  const touched = new Set([table])
  // Tables added during the loop are visited, too.
  for (const name of touched) {
    for (const reference of references) {
      if (reference.to === name && reference[action] !== 'NO ACTION' && reference[action] !== 'RESTRICT') touched.add(reference.from)
    }
  }
  return [...touched]
}

/** The schema is read only where it matters: migrations change it in each of hundreds of statements. */
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

/** Stands for the inserted rows in stamps. */
export function newRowsOf(table: string): string {
  return `${table}.+`
}

/**
 * The columns that an update sets, or mentions in its values; null if they can't be determined, or if a trigger depends on one of them, so
 * that more of the table may change.
 */
function columnsSet({ columns, triggers }: Schema, table: string, statement: string): string[] | null {
  if (/select|'| from /.test(statement)) return null
  const words = new Set(statement.split(' where ', 1)[0]?.match(/\w+/g))
  const named = (columns.get(table) ?? []).filter((column) => words.has(column))
  const isWatched = (triggers.get(table) ?? []).some((trigger) => watches(trigger, named))
  return isWatched || named.length === 0 ? null : named
}

/** Whether a change of one of the columns may run the trigger. */
function watches(trigger: string, columns: string[]): boolean {
  if (!/\b(after|before) update\b/.test(trigger)) return false
  const words = new Set(trigger.match(/\w+/g))
  return !/\bupdate of\b|\bwhen\b/.test(trigger) || columns.some((column) => words.has(column))
}
