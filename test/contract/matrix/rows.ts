/** Restores rows that calls have deleted from the rows of the whole database: much cheaper than creating the resources again. */
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../../src/db/tables.ts'

export type Row = Record<string, unknown>
type Loose = Kysely<Record<string, Row>>
export type Rows = Map<string, Row[]>

/**
 * Not of the place: what waits, what follows from other rows, what a write makes anew under the name of what another deleted, and what the
 * engines keep for themselves.
 */
const apart = /^(jobs|terraform_\w+|kysely_\w+|sqlite_\w+|pg_\w+|\w+_search(_\w+)?|\w*list_counts\w*|\w+_counts)$/

export async function readRows(db: Kysely<Tables>): Promise<Rows> {
  const tables = await db.introspection.getTables()
  const rows: Rows = new Map()
  for (const { name, isView } of tables) {
    if (!isView && !apart.test(name))
      rows.set(
        name,
        await (db as unknown as Loose)
          .selectFrom(name as never)
          .selectAll()
          .execute(),
      )
  }
  return rows
}

/** Inserts missing rows. Rows refer to others: a table that comes too early is tried again after the rest. */
export async function putBack(db: Kysely<Tables>, before: Rows): Promise<void> {
  const now = await readRows(db)
  const missing = new Map<string, Row[]>()
  for (const [name, rows] of before) {
    const known = new Set(now.get(name)?.map(keyOf))
    const gone = rows.filter((row) => !known.has(keyOf(row)))
    if (gone.length > 0) missing.set(name, gone)
  }
  for (let left = missing.size; left > 0; left = missing.size) {
    for (const [name, rows] of missing) if (await isInserted(db, name, rows)) missing.delete(name)
    if (missing.size === left) throw new Error(`rows of ${[...missing.keys()].join(', ')} refer to what is gone`)
  }
}

function keyOf(row: Row): string {
  return 'id' in row ? String(row.id) : JSON.stringify(Object.values(row))
}

async function isInserted(db: Kysely<Tables>, name: string, rows: Row[]): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx: Transaction<Tables>) => {
      for (let at = 0; at < rows.length; at += 50)
        await (tx as unknown as Loose)
          .insertInto(name as never)
          .values(rows.slice(at, at + 50) as never)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
    })
    return true
  } catch {
    return false
  }
}
