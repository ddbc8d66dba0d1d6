/** Tracks writes to an embedded database, by table where the statement names it. */
import type BetterSqlite3 from 'better-sqlite3'

export interface Changes {
  /**
   * The same number as long as nothing of this was written, or without `names`, nothing at all; null inside a transaction, which may
   * be rolled back. Unknown names are ignored.
   * @param names from `tablesIn`
   */
  stamp: (names?: string[]) => number | null
  /** The tables that a statement names, as `table.column` those columns of them, and as `table.+` their new rows; these include all that it reads. */
  tablesIn: (statement: string) => string[]
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
  /** What is awaited in this step and there already is done before the next tick. */
  const expireAfterStep = () => process.nextTick(expire)
  const note = (touched: Touched) => {
    writes += 1
    if (touched === null) untold += 1
    for (const table of touched ?? []) perTable.set(table, (perTable.get(table) ?? 0) + 1)
  }
  const tables = connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck()
  return {
    note,
    tablesIn(statement) {
      const words = new Set(statement.match(/\w+/g))
      const isOfAll = statement.replaceAll('count(*)', '').includes('*')
      const named = tables.all().filter((name) => words.has(name))
      const columns = named.map((name) => columnsOf(connection, name).filter((column) => isOfAll || words.has(column)))
      return named.flatMap((name, index) => [name, newRowsOf(name), ...(columns[index] ?? []).map((column) => `${name}.${column}`)])
    },
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

/** Tables whose rows may be deleted or changed with rows of the table: they refer to it, or to one that does. */
const following = `
  with recursive touched (name) as (
    select :table
    union
    select referring.name
    from touched
    join sqlite_master as referring on referring.type = 'table'
    join pragma_foreign_key_list(referring.name) as reference on reference."table" = touched.name
    where iif(:verb = 'update', reference.on_update, reference.on_delete) not in ('NO ACTION', 'RESTRICT')
  )
  select name from touched`

/**
 * The tables that a statement may change. What triggers write is not among them: it is read only together with the table of the
 * trigger, which a test asserts.
 */
export function touchedBy(connection: BetterSqlite3.Database, statement: string): Touched {
  if (statement.startsWith('begin')) return []
  const [, verb, table] = /^(insert into|update|delete from) "(\w+)" /.exec(statement) ?? []
  if (!verb || !table) return null
  if (verb === 'insert into') return [statement.includes(' on conflict') ? table : newRowsOf(table)]
  const touched = connection.prepare<unknown[], string>(following).pluck().all({ table, verb })
  const columns = verb === 'update' ? columnsSet(connection, table, statement) : null
  return columns ? [...touched.filter((name) => name !== table), ...columns.map((column) => `${table}.${column}`)] : touched
}

/** What stands for the rows that are inserted, in stamps. */
export function newRowsOf(table: string): string {
  return `${table}.+`
}

function columnsOf(connection: BetterSqlite3.Database, table: string): string[] {
  return connection.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
}

/**
 * The columns that an update sets, and others that its values name; null where they can't be told, or where a trigger follows that
 * looks at one of them: then more of the table may change.
 */
function columnsSet(connection: BetterSqlite3.Database, table: string, statement: string): string[] | null {
  if (/select|'| from /.test(statement)) return null
  const words = new Set(statement.split(' where ', 1)[0]?.match(/\w+/g))
  const columns = columnsOf(connection, table).filter((column) => words.has(column))
  const triggers = connection.prepare<[string], string>("select sql from sqlite_master where type = 'trigger' and tbl_name = ?").pluck()
  const isWatched = triggers.all(table).some((trigger) => watches(trigger, columns))
  return isWatched || columns.length === 0 ? null : columns
}

/** Whether a trigger may follow a change of one of the columns. */
function watches(trigger: string, columns: string[]): boolean {
  if (!/\b(after|before) update\b/.test(trigger)) return false
  const words = new Set(trigger.match(/\w+/g))
  return !/\bupdate of\b|\bwhen\b/.test(trigger) || columns.some((column) => words.has(column))
}
