/** Tracks writes to an embedded database, by table where the statement names it. */
import type BetterSqlite3 from 'better-sqlite3'

export interface Changes {
  /**
   * The same number as long as nothing was written to any of these tables, or without `tables`, to any table; null inside a
   * transaction, which may be rolled back. Unknown names are ignored.
   */
  stamp: (tables?: string[]) => number | null
  /** The tables and views that a statement names, which include every one it reads. */
  tablesIn: (statement: string) => string[]
  /** Called after each of our statements that has written. */
  note: (touched: Touched) => void
}

/** Tables whose rows a statement may have changed; null if unknown. */
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
  const tables = connection.prepare<[], string>("select name from sqlite_master where type in ('table', 'view')").pluck()
  return {
    note,
    tablesIn(statement) {
      const words = new Set(statement.match(/\w+/g))
      return tables.all().filter((name) => words.has(name))
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
  if (verb === 'insert into') return [table]
  return connection.prepare<unknown[], string>(following).pluck().all({ table, verb })
}
